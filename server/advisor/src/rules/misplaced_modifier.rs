//! The instruction has this modifier, but not together with those that are there, or not in this order.

use crate::ptx::{Finding, Subject};
use crate::{Check, Group, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    code: "misplaced-modifier",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A modifier that does not go with the others, or stands in another place.",
    page: include_str!("misplaced_modifier.md"),
    checks: &[Check::Ptx(check)],
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    subject.report(RULE.code, findings);
}
