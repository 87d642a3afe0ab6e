//! PTX in the syntax of `ptxas`, read to a lossless tree.
//!
//! [`Module`] is the entry point: parse a text, edit it, and walk its [`Item`]s (one per directive, variable
//! and function at module scope), [`Statement`]s and [`Token`]s. Words are classified only by position and
//! shape. Other crates interpret opcodes, modifiers and types.

mod edit;
mod function;
mod item;
mod lex;
mod line;
pub mod literal;
mod module;
mod operand;
mod parse;
mod respell;
mod statement;
#[cfg(test)]
mod tests;
mod token;
mod unfinished;
mod variable;

pub use crate::sass::{Start, TokenRange};
pub use function::{Function, FunctionKind, Performance};
pub use item::{Item, ItemKind, Piece, SyntaxError};
pub use line::{Location, SourceFile, SourceLocation};
pub use module::Module;
pub use operand::{Operand, OperandKind};
pub use respell::InstructionEdit;
pub use statement::{Statement, StatementKind};
pub use token::{Token, TokenKind};
pub use unfinished::without_unfinished;
pub use variable::{Declarator, Pointer, Variable};
