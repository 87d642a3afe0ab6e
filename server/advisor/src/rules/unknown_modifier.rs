//! A word behind the opcode that no form of the instruction has.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::UnknownModifier.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A modifier that the PTX instruction does not have.",
    page: include_str!("unknown_modifier.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::UnknownModifier, findings);
}
