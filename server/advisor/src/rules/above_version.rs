//! What is written needs a later `.version`.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::AboveVersion.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "An instruction, modifier or special register that the module's PTX version does not have.",
    page: include_str!("above_version.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::AboveVersion, findings);
}
