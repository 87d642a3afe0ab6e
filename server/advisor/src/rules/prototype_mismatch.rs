//! Two declarations of a function or an `.extern` variable that do not agree.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "prototype-mismatch",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A function or variable of PTX that is declared twice, unlike.",
    page: include_str!("prototype_mismatch.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
