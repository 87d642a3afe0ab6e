//! The instruction takes some constants only: barriers 0 to 15, copies of 4, 8 or 16 bytes.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::OperandValue.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A constant that the PTX instruction does not take.",
    page: include_str!("operand_value.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::OperandValue, findings);
}
