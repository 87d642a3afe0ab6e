//! A constant where a register must be, a register where an address must be, a vector of another length, a label where a value must be.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "operand-kind",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "An operand of PTX that is something else than what belongs there.",
    page: include_str!("operand_kind.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
