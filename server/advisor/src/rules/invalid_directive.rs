//! A directive that does not belong there, or whose numbers make no sense.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::InvalidDirective.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A directive of PTX in a place or with a value that it cannot have.",
    page: include_str!("invalid_directive.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::InvalidDirective, findings);
}
