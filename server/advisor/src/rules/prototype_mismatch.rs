//! Two declarations of a function or an `.extern` variable that do not agree.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::PrototypeMismatch.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A function or variable of PTX that is declared twice, unlike.",
    page: include_str!("prototype_mismatch.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::PrototypeMismatch, findings);
}
