//! A kernel as rules look at it.

use crate::memory::Memory;
use model::{Chunk, Isa, Program};

/// What a rule looks at: the text of a kernel and what it decodes to.
#[derive(Clone, Copy)]
pub struct Kernel<'a> {
    pub chunk: &'a Chunk,
    pub program: &'a Program,
    /// The opcodes of the architecture that the text is for, and that architecture; the program's own may be another
    /// one, whose times count.
    pub isa: &'a Isa,
    pub isa_sm: u16,
    /// Its launches, and what their warps ask of memory.
    pub memory: &'a Memory<'a>,
}
