//! Compiled code of a source file, with the source line of each instruction.

use crate::engine::names::kernel_name;
use crate::engine::sass_text::SassText;
pub(crate) use crate::engine::source_place::{SourcePlace, Stack};
use crate::engine::stated::ExternalFacts;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use thiserror::Error;

/// The disassembly of code compiled from a source file. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Compiled(pub(crate) Arc<Code>);

/// Facts about the kernels of compiled code that its listing lacks: source lines, resources, launches. For
/// the document that contains the listing.
#[derive(Debug, Clone)]
pub struct ListedCode(pub(crate) ExternalFacts);

/// Origin of compiled code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompiledFrom {
    /// The command or file that produced the code, for display: `nvcc -arch=sm_90`, `clang -O3
    /// --offload-arch=sm_90`, `build/k.cubin`.
    pub by: String,
    /// Path of the source file in the line table of the code.
    pub path: String,
    /// A short reason why the source may have changed since the code was compiled. `None` if there is
    /// no such reason.
    pub stale: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Code {
    pub text: Arc<SassText>,
    pub from: CompiledFrom,
    /// Source lines of each instruction, per chunk. Includes lines of other source files.
    pub stacks: Vec<Vec<Stack>>,
    /// Short reasons why the source may have changed since a kernel was compiled, by kernel name.
    pub stale: FxHashMap<String, String>,
    /// True if the code is an output file of a build. False if the server compiled the code for the document.
    pub is_left: bool,
    /// Kernels that could not be disassembled.
    pub unlisted: Vec<UnlistedKernel>,
}

impl Code {
    /// Returns the facts that this listing lacks, for a document that shows the listing. They include the
    /// source lines, because the document omits the comments that state them.
    pub(crate) fn given_of_view(&self) -> ExternalFacts {
        let chunks = self.text.listing().chunks().iter().zip(&self.stacks);
        let kernels = chunks.filter(|(_, stacks)| !stacks.is_empty());
        let stacks = kernels.map(|(chunk, stacks)| (kernel_name(chunk).to_owned(), stacks.clone()));
        ExternalFacts { stacks: stacks.collect(), ..self.text.given().clone() }
    }
}

/// A kernel without a listing. Only the metadata in the cubin is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnlistedKernel {
    pub name: String,
    /// Smallest source line of the kernel's code, 1-based.
    pub line: u32,
    /// Registers per thread, bytes of shared memory per block, bytes of stack per thread.
    pub registers: Option<u32>,
    pub shared: u64,
    pub stack: Option<u32>,
    /// One-line reason why the kernel has no listing.
    pub why: String,
}

/// One of the cubins in a source file's compiled code.
#[derive(Debug, Clone)]
pub struct CodePart {
    pub listing: Result<String, NoListing>,
    pub cubin: Vec<u8>,
    /// A short reason why the source may differ from the source that was compiled. `None` if there is no such
    /// reason.
    pub stale: Option<String>,
    /// Bytes of dynamic shared memory per block, if the compiler recorded them. Otherwise 0.
    pub dynamic_shared: u32,
}

/// Reason why a cubin has no listing, as a one-line message.
#[derive(Debug, Clone, Error)]
pub enum NoListing {
    #[error("the workspace is not trusted, so no disassembler runs")]
    Untrusted,
    /// The disassembler is missing or failed.
    #[error(transparent)]
    Tool(Arc<dyn std::error::Error + Send + Sync>),
}
