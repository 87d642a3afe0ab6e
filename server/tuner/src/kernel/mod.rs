//! Code common to the kernels of all problems: a block's tiles, their staging in shared memory, the sums, and
//! the stores of the sums.

mod block;
mod launch;
mod operand;
mod output;
mod pipeline;
mod product;
mod threads;
mod writer;

pub use launch::Launch;
pub use writer::Target;

pub(crate) use block::{Block, DepthRange};
pub(crate) use operand::{ContiguousAxis, MAX_LOADS, Matrix, Operand, OperandTile};
pub(crate) use output::{Axis, Destination, Output, OutputLine};
pub(crate) use pipeline::{Pipeline, Tile};
pub(crate) use product::{Fragment, WIDEST_BYTES, memory_type, vector, zeros};
pub(crate) use threads::Arrangement;
pub(crate) use writer::{Bank, Limits, Parameters, Register, Writer, ptx};
