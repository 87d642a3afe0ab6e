//! A second declaration of a name in the same scope.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::RedeclaredName.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A name that its scope declares already.",
    page: include_str!("redeclared_name.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::RedeclaredName, findings);
}
