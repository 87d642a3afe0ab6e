//! A line that is not valid SASS or PTX. The parser reports the error. Like other rules, this rule can be
//! turned off.

use crate::finding::Severity;
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: "syntax-error",
    rank: 10,
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A line that cannot be read.",
    page: include_str!("syntax_error.md"),
    checks: &[Check::Parser],
};
