//! A SASS kernel, as passed to the rules.

use crate::memory::Memory;
use model::{Chunk, Isa, Program};

/// Input of a rule: a kernel's text, its decoded program and its memory accesses.
#[derive(Clone, Copy)]
pub struct Kernel<'a> {
    pub chunk: &'a Chunk,
    pub program: &'a Program,
    /// The instruction set that the code is written in. `isa_sm` is the number of its architecture. `program` may be
    /// decoded for another architecture, whose latencies are then used.
    pub isa: &'a Isa,
    pub isa_sm: u16,
    /// The kernel's launches and the memory requests of their warps.
    pub memory: &'a Memory<'a>,
}
