//! PTX: resolves names, matches instructions to their forms, and analyses dataflow.
//!
//! Everything is computed per item. [`Names`] and [`bind()`] depend only on the source text of one item, and
//! [`Globals`] lists the declarations at module scope. No function here fails on any input: invalid source
//! yields a value that reports the problem.

mod bind;
mod bits;
mod body;
pub mod dataflow;
pub mod flow;
mod globals;
pub mod lower;
mod names;
mod symbol;
#[cfg(test)]
mod tests;

pub use bind::{Argument, Binder, Instruction, NotBound, OperandMismatch, bind};
pub use body::Body;
pub use dataflow::{POINTER_ALIGNMENT, RegisterUse, alignment, bytes_of};
pub use globals::{Global, Globals, Parameter, Signature};
pub use machine::ptx::{
    ControlFlow, CostKind, CostlyInstruction, FormBinding, Participants, Ptx, Spread, Target, Version,
};
pub use names::{Meaning, Names, Redeclared, Use, UseKind};
pub use symbol::{Dimension, Space, Symbol, SymbolKind, index_of};
pub use syntax::ptx::{FunctionKind, Item, Module, Operand, OperandKind, Statement, StatementKind, literal};
