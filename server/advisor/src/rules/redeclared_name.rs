//! A second declaration of a name in the same scope.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "redeclared-name",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A name that its scope declares already.",
    page: include_str!("redeclared_name.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
