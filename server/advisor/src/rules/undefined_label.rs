//! A branch to a label that its scope does not have.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::UndefinedLabel.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A branch in PTX to a label that does not exist there.",
    page: include_str!("undefined_label.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::UndefinedLabel, findings);
}
