//! A stall count that the hardware does not keep.

use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: "stall-without-yield",
    group: Group::Hazard,
    severity: Severity::Error,
    summary: "A stall count above 11 without yield, which the hardware does not keep (since Volta).",
    page: include_str!("stall_without_yield.md"),
    checks: &[Check::Codes(check)],
};

/// The first compute capability that this holds for, and the most cycles that a code says which does not yield.
/// Source: NVIDIA's machine description has no such codes, and its compilers write none; measured: they stall 1 or 2.
const FIRST_SM: u16 = 70;
const MOST_STALL: u8 = 11;

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    if codes.program.arch.sm < FIRST_SM {
        return;
    }
    for (at, inst) in codes.instructions() {
        let Some((control, stall)) = inst.control.and_then(|control| Some((control, control.stall?))) else {
            continue;
        };
        if stall > MOST_STALL && !control.yields && codes.is_final(at) {
            let message = format!(
                "stalls {stall} cycles without yield, of which the hardware keeps 1 or 2; set yield, or at most {MOST_STALL}"
            );
            findings.push(Codes::finding(RULE.code, at, codes.at_code(at), message, None));
        }
    }
}
