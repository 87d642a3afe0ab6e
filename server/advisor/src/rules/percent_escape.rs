//! A `%` in an `asm` statement that nvcc does not read as intended.

use crate::finding::Severity;
use crate::inline_asm::codes::PERCENT_ESCAPE;
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: PERCENT_ESCAPE,
    rank: 50,
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A `%` in a CUDA `asm` statement that must be `%%`, or the reverse.",
    page: include_str!("percent_escape.md"),
    checks: &[Check::InlineAsm],
};
