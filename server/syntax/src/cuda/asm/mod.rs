//! `asm` statements: PTX in string literals, with numbered operands.
//!
//! A scan of the source text finds the statements. It needs no syntax tree, because `asm` statements also occur in
//! class members and in macros, and because the surrounding code may not parse.

mod scan;
mod template;
#[cfg(test)]
mod tests;

pub(super) use scan::scan;
pub use template::{InvalidPercent, Problem, Register, Template};

use std::ops::Range;

/// An `asm` statement. All byte offsets count from the start of its item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Range from the keyword to the closing parenthesis.
    pub range: Range<u32>,
    pub is_volatile: bool,
    /// String literals of the code, in order.
    pub literals: Vec<Literal>,
    /// Operands in numbering order, outputs first.
    pub operands: Vec<Operand>,
    /// False if a macro or a preprocessor condition contributes part of the code or of the operand list.
    pub is_whole: bool,
    /// False if a macro or a preprocessor condition contributes part of the operand list. Operand numbers are
    /// then unknown.
    pub has_all_operands: bool,
    /// Number of open braces around the statement in its item; 0 outside of functions.
    pub depth: u32,
    /// Registers and labels declared in a scope that the code leaves open. Later statements of the function
    /// see these names.
    pub open_names: Box<[Box<str>]>,
}

impl Block {
    /// Returns the `asm` statement that has byte `byte` of the text in one of its code strings; `None` if there is no
    /// such statement. A half-typed statement may lack more strings, operands or its end. The text must begin outside
    /// of strings and comments.
    pub fn at(text: &str, byte: u32) -> Option<Self> {
        scan::scan_at(text, byte)
    }
}

/// A string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// Range between the quotes.
    pub range: Range<u32>,
    /// True for `R"(...)"`, which has no escape sequences.
    pub is_raw: bool,
}

/// An operand of an `asm` statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    pub is_output: bool,
    /// Range of `x` in `[x] "r"(i)`.
    pub name: Option<Range<u32>>,
    /// Range between the quotes; empty if the constraint is empty.
    pub constraint: Range<u32>,
    /// Range between the parentheses.
    pub value: Range<u32>,
}
