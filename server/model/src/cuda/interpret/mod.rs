//! The abstract interpreter of statements and expressions, which runs warps with partially known values.
//!
//! Expressions, statements and calls evaluate each other. The other files operate on values and do not call
//! back into these three.

mod builtins;
mod calls;
mod driver;
pub(crate) mod evaluate;
mod execute;
mod fragments;
mod groups;
mod induction;
mod launch_statement;
mod limits;
mod memory;
mod record_types;

pub(crate) use evaluate::Interpreter;
