//! A declaration whose words do not go together.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "invalid-declaration",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A declaration in PTX that cannot be: type, space, vector, size or alignment.",
    page: include_str!("invalid_declaration.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
