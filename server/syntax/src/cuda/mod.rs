//! The elements of CUDA C++ that costs depend on: functions, variables, types, macros, statements and
//! expressions.
//!
//! tree-sitter parses the text incrementally. The result is a [`Unit`] with a separate tree for each
//! declaration. A tree is rebuilt only if the text of its declaration changed. Any text can be read:
//! unsupported code becomes [`ExprKind::Unknown`] or [`StmtKind::Unknown`], and a declaration that does not
//! parse is marked.

pub mod asm;
mod chunks;
mod decided;
mod expr;
mod head_macros;
mod included;
mod includes;
mod item;
mod lexer;
mod line_start;
mod mask;
pub mod preprocessor;
mod read;
mod source;
mod stmt;
#[cfg(test)]
mod tests;
mod types;

pub use decided::TextConditions;
pub use expr::{Argument, BinaryOp, Expr, ExprKind, UnaryOp};
pub use included::Included;
pub use includes::{Include, included_paths, includes};
pub use item::{
    Alias, Attribute, Enumerator, Function, Instantiation, Item, ItemKind, Macro, Parameter, PlacedItem,
    Record, TemplateParameter, name_hash,
};
pub use read::parse_expression;
pub use source::{FIRST_INCLUDED, Source, Unit};
pub use stmt::{AsmOperand, InlineAsm, Loop, Memory, PreprocessorPart, Stmt, StmtKind, Unroll, Variable};
pub use types::TypeName;
