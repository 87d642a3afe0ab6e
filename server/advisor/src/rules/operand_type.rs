//! The declared type of a register, or the kind of a constant, does not fit the type that the instruction has there.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "operand-type",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A register or constant whose type is not the instruction's.",
    page: include_str!("operand_type.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
