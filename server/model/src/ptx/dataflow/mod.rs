//! Dataflow analyses of a function: reads and writes, reaching definitions, live registers.

mod alignment;
mod definitions;
mod liveness;
mod registers;
mod spread;
#[cfg(test)]
mod tests;
mod written;

pub use alignment::{LowBits, POINTER_ALIGNMENT, alignment, bytes_of};
pub use definitions::{Definition, Definitions};
pub use liveness::Liveness;
pub use registers::{Access, Register, RegisterUse, Registers};
pub use spread::Spreads;
pub use written::WrittenRegisters;
