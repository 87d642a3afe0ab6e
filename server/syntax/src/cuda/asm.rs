//! Inline assembly.

use super::Expr;
use std::ops::Range;

/// An `asm` statement: PTX with numbered operands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InlineAsm {
    /// The strings of the code, in order: the bytes between their quotes.
    pub code: Vec<Range<u32>>,
    pub outputs: Vec<AsmOperand>,
    pub inputs: Vec<AsmOperand>,
    pub is_volatile: bool,
}

/// An operand of an `asm` statement.
#[derive(Debug, Clone, PartialEq)]
pub struct AsmOperand {
    /// `"=r"` without its quotes.
    pub constraint: String,
    pub constraint_range: Range<u32>,
    /// `None` where it does not parse.
    pub value: Option<Expr>,
}

impl InlineAsm {
    /// The operands by their numbers: outputs come first.
    pub fn operands(&self) -> impl Iterator<Item = &AsmOperand> {
        self.outputs.iter().chain(&self.inputs)
    }
}
