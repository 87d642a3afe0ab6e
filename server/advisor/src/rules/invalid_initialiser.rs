//! An initialiser that does not fit its variable.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "invalid-initialiser",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A value that a variable of PTX cannot have.",
    page: include_str!("invalid_initialiser.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
