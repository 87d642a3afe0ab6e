//! An `asm` statement that refers to an operand that the statement does not have.

use crate::finding::Severity;
use crate::inline_asm::codes::UNKNOWN_ASM_OPERAND;
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: UNKNOWN_ASM_OPERAND,
    rank: 30,
    group: Group::Syntax,
    severity: Severity::Error,
    summary: "A CUDA `asm` statement whose code refers to an operand that it does not have.",
    page: include_str!("unknown_asm_operand.md"),
    checks: &[Check::InlineAsm],
};
