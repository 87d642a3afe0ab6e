//! What is written needs another `.target`.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "above-target",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "An instruction, modifier or special register that the module's target does not have.",
    page: include_str!("above_target.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
