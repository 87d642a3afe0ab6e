//! How values move through a function: what is read and written where, which writes reach a read, what is live.

mod alignment;
mod definitions;
mod liveness;
mod registers;
mod spread;
#[cfg(test)]
mod tests;
mod written;

pub use alignment::{LowBits, alignment, bytes_of};
pub use definitions::{Definition, Definitions};
pub use liveness::Liveness;
pub use registers::{Access, Register, Registers, Touch};
pub use spread::Spreads;
pub use written::Written;
