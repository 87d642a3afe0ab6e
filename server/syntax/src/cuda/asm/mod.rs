//! `asm` statements: PTX in strings, with numbered operands.
//!
//! They are found by a scan of the text, not in the syntax tree: they occur in class members and macros too, and the
//! code around them need not parse.

mod scan;
mod template;
#[cfg(test)]
mod tests;

pub(super) use scan::scan;
pub use template::{Percent, Problem, Register, Template};

use std::ops::Range;

/// An `asm` statement. All bytes count from the start of its item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// From the keyword to the closing parenthesis.
    pub range: Range<u32>,
    pub is_volatile: bool,
    /// The strings of the code, in order.
    pub literals: Vec<Literal>,
    /// Outputs first, as they are numbered.
    pub operands: Vec<Operand>,
    /// False where a macro or a condition of the preprocessor writes a part of the code, or of the list of operands.
    pub is_whole: bool,
    /// False where a macro or a condition of the preprocessor writes a part of the list of operands, so that their numbers are
    /// not known.
    pub has_all_operands: bool,
    /// Braces that are open around it in its item: none for a statement outside of functions.
    pub depth: u32,
    /// Registers and labels that its code declares and does not close: later statements of the function know them.
    pub open_names: Box<[Box<str>]>,
}

impl Block {
    /// Returns the statement with a string of code at a byte of the text, be it complete or half typed: its strings, its list of
    /// operands or its end may be missing. The text has to begin outside of strings and comments.
    pub fn at(text: &str, byte: u32) -> Option<Self> {
        scan::scan_at(text, byte)
    }
}

/// A string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// Between the quotes.
    pub range: Range<u32>,
    /// `R"(…)"`: nothing in it is escaped.
    pub is_raw: bool,
}

/// An operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    pub is_output: bool,
    /// `x` of `[x] "r"(i)`.
    pub name: Option<Range<u32>>,
    /// Between its quotes; empty where there is nothing.
    pub constraint: Range<u32>,
    /// Between its parentheses.
    pub value: Range<u32>,
}
