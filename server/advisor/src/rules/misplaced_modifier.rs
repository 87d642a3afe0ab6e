//! The instruction has this modifier, but not together with those that are there, or not in this order.

use crate::finding::Severity;
use crate::ptx::{Finding, Subject};
use crate::rule::{Check, Group, Rule};
use model::ptx::Code;

pub(super) const RULE: Rule = Rule {
    code: Code::MisplacedModifier.name(),
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A modifier that does not go with the others, or stands in another place.",
    page: include_str!("misplaced_modifier.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(Code::MisplacedModifier, findings);
}
