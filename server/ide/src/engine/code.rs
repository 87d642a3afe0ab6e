//! Compiled code of one source, and where each of its instructions comes from.

use crate::engine::names::kernel_name;
use crate::engine::sass_text::SassText;
pub(crate) use crate::engine::source_place::{SourcePlace, Stack};
use crate::engine::stated::Given;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Compiled code as a disassembler lists it, for one source that it was made of. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Compiled(pub(crate) Arc<Code>);

/// Facts about compiled code for a document that is its listing.
#[derive(Debug, Clone)]
pub struct ListedCode(pub(crate) Given);

/// Origin of compiled code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompiledFrom {
    /// The command or the file that it comes from, for the reader: `nvcc -arch=sm_90`, `clang -O3 --offload-arch=sm_90`, `build/k.cubin`.
    pub by: String,
    /// The path by which the code's line table names the source.
    pub path: String,
    /// Why the source may differ from the text that was compiled, in a few words; for code from an earlier build.
    pub stale: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Code {
    pub text: Arc<SassText>,
    pub from: CompiledFrom,
    /// The stack of each instruction, by chunk; places in other files included.
    pub stacks: Vec<Vec<Stack>>,
    /// Why the source may be another text than the one that a kernel was compiled of, by the kernel's name.
    pub stale: FxHashMap<String, String>,
    /// Left by a build, not compiled for the document.
    pub is_left: bool,
    /// Kernels without a listing of their instructions.
    pub unlisted: Vec<Unlisted>,
}

impl Code {
    /// Facts for a document that is the listing of this code without the comments that name source lines.
    pub(crate) fn given_of_view(&self) -> Given {
        let chunks = self.text.listing().chunks().iter().zip(&self.stacks);
        let kernels = chunks.filter(|(_, stacks)| !stacks.is_empty());
        let stacks = kernels.map(|(chunk, stacks)| (kernel_name(chunk).to_owned(), stacks.clone()));
        Given { stacks: stacks.collect(), ..self.text.given().clone() }
    }
}

/// A kernel that is known from the cubin alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unlisted {
    pub name: String,
    /// The least line of the source that its code comes from, counted from 1.
    pub line: u32,
    /// Registers a thread, bytes of shared memory a block, bytes of stack a thread.
    pub registers: Option<u32>,
    pub shared: u64,
    pub stack: Option<u32>,
    /// Why there is no listing, in one line.
    pub why: String,
}

/// One cubin of the code of a source.
#[derive(Debug, Clone)]
pub struct CodePart {
    /// Its listing, or in one line why it is missing.
    pub listing: Result<String, String>,
    pub cubin: Vec<u8>,
    /// Why the source may be another text than the one that was compiled, in a few words.
    pub stale: Option<String>,
    /// Bytes of shared memory that a launch adds to those that the cubin states, if its compiler recorded them; else 0.
    pub dynamic_shared: u32,
}
