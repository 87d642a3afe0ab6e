//! Per-thread arrays in local memory instead of registers.

mod ptx;

use crate::finding::{Finding, Severity};
use crate::kernel::Kernel;
use crate::memory::{Frame, Memory, Origin, Role, origin, times};
use crate::rule::{Check, Group, Rule};
use model::address::Symbol;

pub(super) const RULE: Rule = Rule {
    code: "local-memory-access",
    rank: 230,
    group: Group::Memory,
    severity: Severity::Info,
    summary: "A thread's array is in local memory because an index is not known at compile time.",
    page: include_str!("local_memory_access.md"),
    checks: &[Check::Kernel(check), Check::Ptx(ptx::check)],
};

fn check(kernel: Kernel<'_>, findings: &mut Vec<Finding>) {
    let memory = kernel.memory;
    let frame = Frame::analyse(memory);
    for (&inst, role) in &frame.roles {
        if let Role::Array { fixed } = *role {
            findings.push(finding(memory, inst, fixed, &frame));
        }
    }
}

fn finding(memory: &Memory<'_>, inst: u32, fixed: bool, frame: &Frame) -> Finding {
    let touched = memory.program.instructions[inst as usize].memory;
    let bytes = touched.map_or(0, |touched| touched.bytes_per_lane);
    let does = if touched.is_some_and(|touched| touched.stores) { "writes" } else { "reads" };
    let of_frame =
        frame.bytes.map_or_else(String::new, |bytes| format!(" ({bytes}-byte stack frame per thread)"));
    let message = format!(
        "{does} {bytes} bytes per lane of local memory{of_frame}{}: {}.",
        executed(memory, inst),
        reason(memory, inst, fixed)
    );
    memory.finding(RULE.code, inst, false, message)
}

/// Phrase with the execution count: `, 64 times per warp`. Empty if no launch is specified.
pub(super) fn executed(memory: &Memory<'_>, inst: u32) -> String {
    let stated = memory.launches.iter().filter(|launched| !launched.launch.assumed);
    let most = stated.map(|launched| launched.requests(inst)).max_by(f64::total_cmp);
    most.filter(|most| *most > 0.0).map_or_else(String::new, |most| format!(", {} per warp", times(most)))
}

/// Reason why the value is not in a register, as far as the address shows it.
fn reason(memory: &Memory<'_>, inst: u32, fixed: bool) -> &'static str {
    if fixed {
        return OF_ARRAY;
    }
    let Some(form) = memory.form(inst, false) else {
        return match origin(memory, inst) {
            Some(Origin::Loaded(_)) => {
                "the index comes from data, so the array cannot be in registers. Shared or constant memory may be faster"
            }
            _ => "the index is computed at run time, so the array cannot be in registers",
        };
    };
    let symbols = memory.addresses().symbols(form);
    if symbols.iter().any(|symbol| matches!(symbol, Symbol::Loop(_))) {
        return "the index changes in each iteration of a loop: with the loop unrolled, the array could be in registers";
    }
    let is_index = |symbol: &Symbol| {
        matches!(
            symbol,
            Symbol::TidX | Symbol::TidY | Symbol::TidZ | Symbol::Lane | Symbol::CtaidX | Symbol::CtaidY
        )
    };
    if symbols.iter().any(is_index) {
        return "the index depends on the thread, so the array cannot be in registers. Shared memory may be faster";
    }
    OF_ARRAY
}

const OF_ARRAY: &str = "the value belongs to an array that is indexed elsewhere, or to a variable whose address is \
                        taken, so it cannot be in registers";
