//! A name that is no special register, and that no declaration explains at this place.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::UndeclaredName.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A name in PTX that nothing declares before its use.",
    page: include_str!("undeclared_name.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::UndeclaredName, findings);
}
