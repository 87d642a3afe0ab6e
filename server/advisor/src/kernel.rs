//! A SASS kernel as the rules see it.

use crate::memory::Memory;
use model::{Chunk, Isa, Program};

/// Input of a rule: a kernel's text, its decoded program and its memory accesses.
#[derive(Clone, Copy)]
pub struct Kernel<'a> {
    pub chunk: &'a Chunk,
    pub program: &'a Program,
    /// Instruction set and number of the architecture that the code is written for. `program` may be decoded for
    /// another architecture, whose latencies are used.
    pub isa: &'a Isa,
    pub isa_sm: u16,
    /// Its launches and the memory requests of their warps.
    pub memory: &'a Memory<'a>,
}
