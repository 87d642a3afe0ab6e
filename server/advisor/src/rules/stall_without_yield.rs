//! A stall count that the hardware does not honour.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use machine::Hardware;

pub(super) const RULE: Rule = Rule {
    code: "stall-without-yield",
    rank: 170,
    group: Group::Hazard,
    severity: Severity::Error,
    summary: "A stall count above 11 without the yield flag, which the hardware does not honour (since Volta).",
    page: include_str!("stall_without_yield.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let hardware = Hardware::builtin();
    // Vendor compilers never emit such control codes. Measured: the hardware stalls only 1 or 2 cycles.
    let most = hardware.most_stall_without_yield.value;
    if hardware.issues_pairs(codes.program.arch.sm) {
        return;
    }
    for (at, inst) in codes.instructions() {
        let Some((control, stall)) = inst.control.and_then(|control| Some((control, control.stall?))) else {
            continue;
        };
        if u32::from(stall) > most && !control.yields && codes.is_final(at) {
            let message = format!(
                "a stall count of {stall} needs the yield flag: without it the hardware stalls only 1 or 2 \
                 cycles. Set yield, or use {most} or less"
            );
            findings.push(Codes::finding(RULE.code, at, codes.at_code(at), message, None));
        }
    }
}
