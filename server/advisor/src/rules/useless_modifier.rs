//! A modifier that stands there twice, or that means nothing to this instruction and that ptxas drops without a word.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::UselessModifier.name(),
    group: Group::Syntax,
    severity: Severity::Warning,
    summary: "A modifier that the assembler passes over.",
    page: include_str!("useless_modifier.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::UselessModifier, findings);
}
