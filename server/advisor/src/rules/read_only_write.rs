//! A write to what can only be read.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "read-only-write",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A write to a special register, to constant memory or to a kernel's parameter.",
    page: include_str!("read_only_write.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
