//! PTX: what its names mean, which forms its instructions are, where its values go.
//!
//! All of it is told item by item: [`Names`] and [`bind()`] look at one item's text alone, [`Globals`] says what module scope
//! declares. Nothing here fails on any text; what means nothing is a value that says so.

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

pub use bind::{Argument, Binder, Instruction, Misfit, NotBound, bind};
pub use body::Body;
pub use dataflow::{POINTER_ALIGNMENT, Touch, alignment, bytes_of};
pub use globals::{Global, Globals, Parameter, Signature};
pub use machine::ptx::{Bound, ControlFlow, CostKind, Costly, Ptx, Spread, Target, Together, Version};
pub use names::{Meaning, Names, Redeclared, Use, UseKind};
pub use symbol::{Dimension, Space, Symbol, SymbolKind, index_of};
pub use syntax::ptx::{FunctionKind, Item, Module, Operand, OperandKind, Statement, StatementKind, literal};
