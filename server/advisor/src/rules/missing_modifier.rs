//! The instruction must say more: its type, its rounding, its comparison.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::MissingModifier.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A PTX instruction that lacks a modifier, mostly its type.",
    page: include_str!("missing_modifier.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::MissingModifier, findings);
}
