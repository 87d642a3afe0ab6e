//! The instruction must say more: its type, its rounding, its comparison.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "missing-modifier",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A PTX instruction that lacks a modifier, mostly its type.",
    page: include_str!("missing_modifier.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
