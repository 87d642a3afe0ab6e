//! What the kernels of all problems share: the tile that a block multiplies, its way through shared memory, the sums.

mod pipeline;
mod product;
mod threads;
mod writer;

pub use writer::Target;

pub(crate) use pipeline::{Pipeline, Tiles};
pub(crate) use product::{Fragment, Product, Sums, WIDEST_BYTES, bank, memory_type, vector};
pub(crate) use threads::{Arrangement, Place};
pub(crate) use writer::{Bank, Parameters, Register, Writer, ptx};
