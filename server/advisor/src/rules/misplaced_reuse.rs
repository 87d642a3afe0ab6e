//! A reuse flag after an operand that the reuse cache cannot hold.

use crate::finding::Severity;
use crate::rule::{Check, Group, Rule};
use crate::spelling::{MISPLACED_REUSE, check_reuse};

pub(super) const RULE: Rule = Rule {
    code: MISPLACED_REUSE,
    rank: 110,
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A reuse flag on an operand that is not a source register.",
    page: include_str!("misplaced_reuse.md"),
    checks: &[Check::Codes(check_reuse)],
};
