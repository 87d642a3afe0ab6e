//! A constraint of an `asm` statement that nvcc does not accept.

use crate::finding::Severity;
use crate::inline_asm::codes::WRONG_CONSTRAINT;
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: WRONG_CONSTRAINT,
    rank: 60,
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A constraint in a CUDA `asm` statement that nvcc does not know, or that does not fit the operand's type.",
    page: include_str!("wrong_constraint.md"),
    checks: &[Check::InlineAsm],
};
