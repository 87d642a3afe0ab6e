//! Number, type, size or alignment of an argument or a result differ from the declaration.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::CallMismatch.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A call in PTX whose arguments or results are not those that the function declares.",
    page: include_str!("call_mismatch.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::CallMismatch, findings);
}
