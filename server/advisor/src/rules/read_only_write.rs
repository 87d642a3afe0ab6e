//! A write to what can only be read.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::ReadOnlyWrite.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A write to a special register, to constant memory or to a kernel's parameter.",
    page: include_str!("read_only_write.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::ReadOnlyWrite, findings);
}
