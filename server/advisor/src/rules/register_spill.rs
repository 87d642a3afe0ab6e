//! Registers that are spilled to local memory.

use crate::finding::{Finding, Related, Severity, Site};
use crate::kernel::Kernel;
use crate::memory::{Frame, Memory, Role};
use crate::rule::{Check, Group, Rule};
use model::launch::StatedBy;
use model::{Inst, Register, RegisterFile};

pub(super) const RULE: Rule = Rule {
    code: "register-spill",
    rank: 240,
    group: Group::Memory,
    severity: Severity::Warning,
    summary: "A register is spilled to local memory and restored because the kernel has too few registers.",
    page: include_str!("register_spill.md"),
    checks: &[Check::Kernel(check)],
};

/// Maximum number of related positions in the finding.
const MAX_RELATED: usize = 8; // limit: length of a finding

/// Adds one finding per kernel, at its first spill.
fn check(kernel: Kernel<'_>, findings: &mut Vec<Finding>) {
    let memory = kernel.memory;
    let roles = Frame::analyse(memory).roles;
    let spills: Vec<u32> =
        roles.iter().filter(|(_, role)| matches!(role, Role::Spill { .. })).map(|(inst, _)| *inst).collect();
    let Some((&first, others)) = spills.split_first() else { return };
    let sides = [(true, "store"), (false, "load")].map(|(stores, noun)| {
        let own = spills.iter().filter_map(|&inst| memory.program.instructions[inst as usize].memory);
        let own = own.filter(|touched| touched.stores == stores);
        let (count, bytes) = own
            .fold((0, 0), |(count, bytes), touched| (count + 1, bytes + u32::from(touched.bytes_per_lane)));
        format!("{count} {noun}{} ({bytes} bytes)", if count == 1 { "" } else { "s" })
    });
    let message = format!(
        "registers are spilled to local memory: {} per thread{}. Keep fewer values live, or allow more registers per thread \
         (`__launch_bounds__`, `-maxrregcount`).",
        sides.join(" and "),
        registers(memory),
    );
    let related = |&inst: &u32| {
        let stores = memory.program.instructions[inst as usize].memory.is_some_and(|touched| touched.stores);
        let name = data(memory, &memory.program.instructions[inst as usize]).unwrap_or_default();
        let does = if stores { "spilled" } else { "restored" };
        Related { place: Site::whole(inst), message: format!("{name} {does} here").trim_start().to_owned() }
    };
    let related = others.iter().take(MAX_RELATED).map(related).collect();
    let place = Site::new(first, memory.place(first, false));
    findings.push(Finding { related, ..Finding::new(RULE.code, place, message) });
}

/// The register that is spilled or restored, or the first and the last of several registers: `R4-R7`.
fn data(memory: &Memory<'_>, inst: &Inst) -> Option<String> {
    let program = memory.program;
    let stores = inst.memory.is_some_and(|touched| touched.stores);
    let accesses = if stores { program.reads(inst) } else { program.writes(inst) };
    let operand = accesses.iter().filter_map(|access| access.operand).max()?;
    let operand = if stores { operand } else { 0 };
    let is_data = |register: &Register| register.file == RegisterFile::General;
    let of_operand =
        accesses.iter().filter(|access| access.operand == Some(operand)).map(|access| access.register);
    let registers: Vec<u16> = of_operand.filter(is_data).map(|register| register.index).collect();
    let (first, last) = (registers.iter().min()?, registers.iter().max()?);
    Some(if first == last { format!("R{first}") } else { format!("R{first}-R{last}") })
}

/// Phrase with the register count: `; the kernel has 32 registers per thread`. Empty if neither the listing nor the
/// launch states the register count.
fn registers(memory: &Memory<'_>) -> String {
    let stated = memory.launches.first().map(|launched| launched.launch.registers);
    let stated = stated.filter(|registers| matches!(registers.by, StatedBy::Listing | StatedBy::Launch));
    stated.map_or_else(String::new, |registers| {
        format!("; the kernel has {} registers per thread", registers.value)
    })
}
