//! A word behind the opcode that no form of the instruction has.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "unknown-modifier",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A modifier that the PTX instruction does not have.",
    page: include_str!("unknown_modifier.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
