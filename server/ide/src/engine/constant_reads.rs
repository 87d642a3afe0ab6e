//! A kernel's reads of constant bank 0, decoded for the architecture of the listing.

use machine::Arch;
use model::Program;
use model::address::Addresses;
use model::launch::ConstantReads;
use std::sync::Arc;
use syntax::sass::Chunk;

/// Returns the byte offsets of the words in constant bank 0 that the code uses as pointers. `program` may be
/// decoded for the architecture of another GPU.
pub(crate) fn pointers(chunk: &Chunk, program: &Program, isa_arch: &Arc<Arch>) -> Box<[u32]> {
    with_isa(chunk, program, isa_arch, |program| {
        model::launch::pointers(&Addresses::compute(chunk, program), program)
    })
}

/// Returns the words of constant bank 0 that the code reads. `program` may be decoded for the architecture of
/// another GPU.
pub(crate) fn constant_reads(chunk: &Chunk, program: &Program, isa_arch: &Arc<Arch>) -> ConstantReads {
    with_isa(chunk, program, isa_arch, |program| ConstantReads::collect(chunk, program))
}

/// Calls `ask` with the program decoded for the listing's architecture. Decodes the chunk again if `program`
/// is for another architecture.
pub(crate) fn with_isa<T>(
    chunk: &Chunk,
    program: &Program,
    isa_arch: &Arc<Arch>,
    ask: impl Fn(&Program) -> T,
) -> T {
    if Arc::ptr_eq(&program.arch, isa_arch) { ask(program) } else { ask(&Program::decode(chunk, isa_arch)) }
}
