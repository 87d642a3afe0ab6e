//! Reads of a launch's parameters by a kernel's code, as the architecture of its text has them.

use machine::Arch;
use model::Program;
use model::address::Addresses;
use model::launch::ConstantReads;
use std::sync::Arc;
use syntax::sass::Chunk;

/// Byte offsets in constant bank 0 of what the code uses as a pointer. Another architecture than the text's may time it.
pub(crate) fn pointers(chunk: &Chunk, program: &Program, isa_arch: &Arc<Arch>) -> Box<[u32]> {
    with_isa(chunk, program, isa_arch, |program| {
        model::launch::pointers(&Addresses::compute(chunk, program), program)
    })
}

/// The words of constant bank 0 that the code reads, likewise.
pub(crate) fn constant_reads(chunk: &Chunk, program: &Program, isa_arch: &Arc<Arch>) -> ConstantReads {
    with_isa(chunk, program, isa_arch, |program| ConstantReads::collect(chunk, program))
}

/// Asks the program as the architecture of its text reads it.
pub(crate) fn with_isa<T>(
    chunk: &Chunk,
    program: &Program,
    isa_arch: &Arc<Arch>,
    ask: impl Fn(&Program) -> T,
) -> T {
    if Arc::ptr_eq(&program.arch, isa_arch) { ask(program) } else { ask(&Program::decode(chunk, isa_arch)) }
}
