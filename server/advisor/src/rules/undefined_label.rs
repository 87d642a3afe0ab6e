//! A branch to a label that its scope does not have.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "undefined-label",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A branch in PTX to a label that does not exist there.",
    page: include_str!("undefined_label.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
