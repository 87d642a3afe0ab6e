//! The number of operands is none that the instruction takes with these modifiers.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "operand-count",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A PTX instruction with too many or too few operands.",
    page: include_str!("operand_count.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
