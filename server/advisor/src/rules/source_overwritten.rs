//! A source register that may be overwritten before an earlier instruction in flight has read it.

use super::unwaited_result::lacks;
use crate::codes::Codes;
use crate::finding::{Finding, Severity};
use crate::rule::{Check, Group, Rule};
use model::hazards::Order;

pub(super) const RULE: Rule = Rule {
    code: "source-overwritten",
    rank: 160,
    group: Group::Hazard,
    severity: Severity::Error,
    summary: "A register may be overwritten before an earlier instruction has read it.",
    page: include_str!("source_overwritten.md"),
    checks: &[Check::Codes(check)],
};

fn check(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for hazard in codes.checked.hazards.iter().filter(|hazard| hazard.order == Order::WriteAfterRead) {
        let Some(lacks) = lacks(codes, hazard, "read barrier") else { continue };
        let name = codes.register(hazard.register);
        let message =
            format!("{name} may be overwritten before {} has read it: {lacks}", codes.mnemonic(hazard.first));
        let range = codes.place(hazard.second, hazard.register, true);
        let related = [(hazard.first, format!("reads {name} some time after it issues"))];
        findings.push(Codes::finding(RULE.code, hazard.second, range, message, related));
    }
}
