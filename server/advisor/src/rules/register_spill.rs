//! Registers that found no place, kept in local memory.

use super::local_memory_access::executed;
use crate::finding::{Finding, Related, Severity, Site};
use crate::kernel::Kernel;
use crate::memory::{Frame, Memory, Role};
use crate::rule::{Check, Group, Rule};
use model::launch::StatedBy;
use model::{Inst, Register, RegisterFile};

pub(super) const RULE: Rule = Rule {
    code: "register-spill",
    group: Group::Memory,
    severity: Severity::Warning,
    summary: "A register is spilled to local memory and restored because the kernel has too few registers.",
    page: include_str!("register_spill.md"),
    checks: &[Check::Kernel(check)],
};

/// Related places of one finding.
const MOST_RELATED: usize = 4;

fn check(kernel: Kernel<'_>, findings: &mut Vec<Finding>) {
    let memory = kernel.memory;
    for (inst, role) in Frame::analyse(memory).roles {
        if let Role::Spill { others } = role {
            findings.push(finding(memory, inst, &others));
        }
    }
}

fn finding(memory: &Memory<'_>, inst: u32, others: &[u32]) -> Finding {
    let decoded = &memory.program.instructions[inst as usize];
    let stores = decoded.memory.is_some_and(|touched| touched.stores);
    let name = data(memory, decoded).unwrap_or_else(|| "a register".to_owned());
    let verb = if name.contains('-') { "are" } else { "is" };
    let does = format!("{name} {verb} {} local memory", if stores { "spilled to" } else { "restored from" });
    let message = format!(
        "{does} for lack of registers{}{}. To avoid it, keep fewer values live, or allow more registers per \
         thread (`__launch_bounds__`, `-maxrregcount`).",
        executed(memory, inst),
        registers(memory),
    );
    let side = if stores { "restored here" } else { "spilled here" };
    let related = |&instruction: &u32| Related { place: Site::whole(instruction), message: side.to_owned() };
    let related = others.iter().take(MOST_RELATED).map(related).collect();
    let place = Site::new(inst, memory.place(inst, false));
    Finding { related, ..Finding::new(RULE.code, place, message) }
}

/// The register that is kept or restored, or the first and the last of several: `R4-R7`.
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

/// `; the kernel has 32 registers a thread`, where its header or the launch says so.
fn registers(memory: &Memory<'_>) -> String {
    let stated = memory.launches.first().map(|launched| launched.launch.registers);
    let stated = stated.filter(|registers| matches!(registers.by, StatedBy::Listing | StatedBy::Launch));
    stated.map_or_else(String::new, |registers| {
        format!("; the kernel has {} registers per thread", registers.value)
    })
}
