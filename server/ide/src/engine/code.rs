//! Compiled code of one source, and where each of its instructions comes from.

use crate::engine::sass_text::SassText;
use std::sync::Arc;

/// Compiled code as a disassembler lists it, for one source that it was made of. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Compiled(pub(crate) Arc<Code>);

/// Origin of compiled code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompiledFrom {
    /// What made it, for the reader: `nvcc -arch=sm_90`, `build/k.cubin`.
    pub by: String,
    /// The path by which the code's line table names the source.
    pub path: String,
    /// Why the source may be another text than the one that was compiled; in a few words, for what a build left behind.
    pub stale: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Code {
    pub text: Arc<SassText>,
    pub from: CompiledFrom,
    /// The stack of each instruction, by chunk; places in other files included.
    pub stacks: Vec<Vec<Stack>>,
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourcePlace {
    /// As the compiler wrote it.
    pub path: Arc<str>,
    /// Counted from 1.
    pub line: u32,
}

/// The line that an instruction comes from, and the calls that it was inlined by, the innermost first. Empty where nothing is
/// known of it.
pub(crate) type Stack = Arc<[SourcePlace]>;
