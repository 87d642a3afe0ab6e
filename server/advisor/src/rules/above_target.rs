//! What is written needs another `.target`.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::AboveTarget.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "An instruction, modifier or special register that the module's target does not have.",
    page: include_str!("above_target.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::AboveTarget, findings);
}
