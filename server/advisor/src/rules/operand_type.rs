//! The declared type of a register, or the kind of a constant, does not fit the type that the instruction has there.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::OperandType.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A register or constant whose type is not the instruction's.",
    page: include_str!("operand_type.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::OperandType, findings);
}
