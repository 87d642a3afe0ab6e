//! Compiled code of one source, with the source line of each instruction.

use crate::engine::names::kernel_name;
use crate::engine::sass_text::SassText;
pub(crate) use crate::engine::source_place::{SourcePlace, Stack};
use crate::engine::stated::Given;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The disassembly of code compiled from one source. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Compiled(pub(crate) Arc<Code>);

/// Facts about compiled code, for the document that is its listing.
#[derive(Debug, Clone)]
pub struct ListedCode(pub(crate) Given);

/// Origin of compiled code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompiledFrom {
    /// The command or the file that produced it, for display: `nvcc -arch=sm_90`, `clang -O3 --offload-arch=sm_90`,
    /// `build/k.cubin`.
    pub by: String,
    /// The source's path in the code's line table.
    pub path: String,
    /// Why the source may differ from the text that was compiled, in a few words, for code left by an earlier build;
    /// else `None`.
    pub stale: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Code {
    pub text: Arc<SassText>,
    pub from: CompiledFrom,
    /// Source lines of each instruction, per chunk, including lines of other files.
    pub stacks: Vec<Vec<Stack>>,
    /// Why the source may differ from the text that a kernel was compiled from, by the kernel's name.
    pub stale: FxHashMap<String, String>,
    /// True if the code was left by a build, not compiled for the document.
    pub is_left: bool,
    /// Kernels whose instructions could not be listed.
    pub unlisted: Vec<Unlisted>,
}

impl Code {
    /// Facts for a document that shows this listing without the comments that name source lines.
    pub(crate) fn given_of_view(&self) -> Given {
        let chunks = self.text.listing().chunks().iter().zip(&self.stacks);
        let kernels = chunks.filter(|(_, stacks)| !stacks.is_empty());
        let stacks = kernels.map(|(chunk, stacks)| (kernel_name(chunk).to_owned(), stacks.clone()));
        Given { stacks: stacks.collect(), ..self.text.given().clone() }
    }
}

/// A kernel for which only the cubin's metadata is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unlisted {
    pub name: String,
    /// The smallest source line that its code comes from, 1-based.
    pub line: u32,
    /// Registers per thread, bytes of shared memory per block, bytes of stack per thread.
    pub registers: Option<u32>,
    pub shared: u64,
    pub stack: Option<u32>,
    /// Why there is no listing, in one line.
    pub why: String,
}

/// One cubin of a source's compiled code.
#[derive(Debug, Clone)]
pub struct CodePart {
    /// The listing, or in one line why it is missing.
    pub listing: Result<String, String>,
    pub cubin: Vec<u8>,
    /// Why the source may differ from the text that was compiled, in a few words; `None` if there is no reason for
    /// doubt.
    pub stale: Option<String>,
    /// Bytes of dynamic shared memory per launch, if the compiler recorded them; else 0.
    pub dynamic_shared: u32,
}
