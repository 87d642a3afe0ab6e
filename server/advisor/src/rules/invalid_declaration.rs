//! A declaration whose words do not go together.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::InvalidDeclaration.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A declaration in PTX that cannot be: type, space, vector, size or alignment.",
    page: include_str!("invalid_declaration.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::InvalidDeclaration, findings);
}
