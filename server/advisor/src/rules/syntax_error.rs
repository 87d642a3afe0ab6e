//! A line that is not valid SASS or PTX. The parser reports it; as a rule, it can be turned off like any other.

use crate::finding::Severity;
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: "syntax-error",
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A line that cannot be read.",
    page: include_str!("syntax_error.md"),
    checks: &[Check::Parser],
};
