//! An initialiser that does not fit its variable.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::InvalidInitialiser.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A value that a variable of PTX cannot have.",
    page: include_str!("invalid_initialiser.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::InvalidInitialiser, findings);
}
