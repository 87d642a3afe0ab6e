//! The number of operands is none that the instruction takes with these modifiers.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::OperandCount.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A PTX instruction with too many or too few operands.",
    page: include_str!("operand_count.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::OperandCount, findings);
}
