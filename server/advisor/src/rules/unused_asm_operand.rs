//! An operand of an `asm` statement that its code does not use.

use crate::finding::Severity;
use crate::inline_asm::codes::UNUSED_ASM_OPERAND;
use crate::rule::{Check, Group, Rule};

pub(super) const RULE: Rule = Rule {
    code: UNUSED_ASM_OPERAND,
    rank: 40,
    group: Group::Syntax,
    severity: Severity::Warning,
    summary: "An operand that the code of a CUDA `asm` statement never uses.",
    page: include_str!("unused_asm_operand.md"),
    checks: &[Check::InlineAsm],
};
