//! Computes the costs of a kernel from its code and a machine description: instructions, dependences, times, occupancy.
//!
//! The crate is pure: it reads no files, and no input makes it panic.

pub mod address;
mod affine;
mod contents;
pub mod convolution;
pub mod cuda;
pub mod dataflow;
pub mod execution;
#[cfg(test)]
mod fixture;
pub mod flow;
pub mod hazards;
mod in_flight;
pub mod launch;
mod measured;
pub mod paper;
pub mod pipeline;
mod program;
pub mod ptx;
pub mod requests;
pub mod schedule;
mod tensor_map;
mod timing;

pub use address::Addresses;
pub use contents::{Contents, DataFile, Element, Numbers};
pub use launch::{Array, Launch, Trips};
pub use machine::{Arch, ConstantBank, Flow, Gpu, Isa, MemorySpace};
pub use measured::{InstructionCounts, MeasuredCounts};
pub use program::{
    Access, Block, Bound, CountedWait, Guard, Inst, Memory, Program, Register, RegisterFile, Scale, WordMask,
    operand_kind, operand_roles, registers_in_a_row, registers_in_brackets, scale,
};
pub use syntax::sass::{Chunk, Control, Dialect, LineKind, Listing, TokenKind};
pub use tensor_map::{MAX_DIMENSIONS, StatedTensor, TensorMap};
pub use timing::{
    Bottlenecks, DependsOn, InstTiming, KernelTiming, LatencyKind, LatencyNote, ModelName, Occupancy,
    OccupancyLimiter, Timing,
};
