//! Codes of the findings about an `asm` statement's operands, and of PTX syntax errors.

pub(crate) const SYNTAX_ERROR: &str = "syntax-error";
pub(crate) const UNKNOWN_ASM_OPERAND: &str = "unknown-asm-operand";
pub(crate) const PERCENT_ESCAPE: &str = "percent-escape";
pub(crate) const WRONG_CONSTRAINT: &str = "wrong-constraint";
pub(crate) const UNUSED_ASM_OPERAND: &str = "unused-asm-operand";
