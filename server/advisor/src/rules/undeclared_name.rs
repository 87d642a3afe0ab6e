//! A name that is no special register, and that no declaration explains at this place.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "undeclared-name",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A name in PTX that nothing declares before its use.",
    page: include_str!("undeclared_name.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
