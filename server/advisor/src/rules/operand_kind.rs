//! A constant where a register must be, a register where an address must be, a vector of another length, a label where a value must be.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::OperandKind.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "An operand of PTX that is something else than what belongs there.",
    page: include_str!("operand_kind.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::OperandKind, findings);
}
