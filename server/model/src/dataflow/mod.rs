//! Dataflow of a kernel: the definitions that reach a read, and the live registers at each instruction.
//!
//! Both follow control flow over a [`Program`](crate::Program)'s blocks. They are computed on demand, in time roughly
//! linear in the kernel's length.

mod calls;
mod definitions;
mod liveness;
mod registers;
mod search;
#[cfg(test)]
mod tests;

pub(crate) use registers::Registers;

pub use definitions::{Definitions, ReachingWrites, WebAccess};
pub use liveness::{LiveCounts, Liveness};
