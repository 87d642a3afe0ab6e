//! A SASS listing with the inputs of its queries: the settings, the memo, and the cancel token.

use crate::engine::cancel::Cancel;
use crate::engine::config::ModelChoice;
use crate::engine::context::Context;
use crate::engine::issue_simulation::Issues;
use crate::engine::kernel::{KernelModel, ModelInputs};
use crate::engine::kernel_view::KernelView;
use crate::engine::lineage::Lineage;
use crate::engine::names;
use crate::engine::origin::{LoweredFunction, Origin};
use crate::engine::sass_text::SassText;
use crate::engine::target::Target;
use machine::Arch;
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::{Chunk, LineKind, Listing, Token};

/// A version of a listing. Cheap to clone; may be used on any thread.
#[derive(Debug, Clone)]
pub struct SassView {
    pub(crate) text: Arc<SassText>,
    pub(crate) context: Arc<Context>,
    pub(crate) cancel: Cancel,
    /// The PTX that the listing was lowered from, for a hidden listing. `None` for a listing that the user
    /// sees.
    pub(crate) origin: Option<Arc<Origin>>,
    /// Earlier versions of the listing. Their hints can be shown while new hints are computed.
    pub(crate) lineage: Arc<Lineage<SassText>>,
}

/// A line of a listing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineAt<'a> {
    /// Index of the chunk.
    pub index: usize,
    pub chunk: &'a Arc<Chunk>,
    /// Index of the line in the chunk.
    pub line: usize,
    /// Byte offset of the line's start in the document.
    pub start: usize,
}

impl<'a> LineAt<'a> {
    pub(crate) fn text(&self) -> &'a str {
        self.chunk.line_text(self.line)
    }

    pub(crate) fn kind(&self) -> LineKind {
        self.chunk.lines()[self.line].kind
    }

    pub(crate) fn tokens(&self) -> &'a [Token] {
        self.chunk.line_tokens(self.line)
    }

    /// Returns the index of the line's instruction in the chunk. `None` if the line has no instruction.
    pub(crate) fn instruction(&self) -> Option<usize> {
        self.chunk.instruction_on(self.line as u32)
    }

    /// Returns the byte range in the document of a token on the line.
    pub(crate) fn range(&self, token: &Token) -> Range<usize> {
        self.start + token.start as usize..self.start + token.end()
    }
}

impl SassView {
    pub(crate) fn listing(&self) -> &Listing {
        self.text.listing()
    }

    /// Returns the GPU that a kernel's figures refer to.
    pub(crate) fn target(&self, chunk: &Chunk) -> Target {
        if let Some(origin) = &self.origin {
            return origin.target.clone();
        }
        Target::for_kernel(&self.context.machine, &self.context.wish, self.listing(), chunk)
    }

    /// Returns a kernel's model from the memo, or computes the model and memoizes it.
    pub(crate) fn model(&self, chunk: &Chunk, target: &Target) -> Arc<KernelModel> {
        self.context.memo.model(&self.wanted(chunk, target))
    }

    /// Returns a kernel's model and removes it from the memo, or computes the model without memoizing it.
    pub(crate) fn take_model(&self, chunk: &Chunk, target: &Target) -> Arc<KernelModel> {
        self.context.memo.take(&self.wanted(chunk, target))
    }

    /// Returns the kernel's memoized model. `None` if the memo lacks the model. Computes nothing.
    pub(crate) fn known_model(&self, chunk: &Chunk, target: &Target) -> Option<Arc<KernelModel>> {
        self.context.memo.known(&self.wanted(chunk, target))
    }

    /// Returns the issue cycles of the kernel's instructions by the `pipeline` model. `None` if the model
    /// does not apply, or if the settings select `paper`.
    pub(crate) fn issues<'a>(&self, chunk: &Chunk, model: &'a KernelModel) -> Option<&'a Issues> {
        if self.wants_paper() { None } else { model.issues(chunk) }
    }

    pub(crate) fn wants_paper(&self) -> bool {
        self.context.config.model == ModelChoice::Paper
    }

    fn wanted<'a>(&'a self, chunk: &'a Chunk, target: &'a Target) -> ModelInputs<'a> {
        let asks_for_block = target.gpu.arch.pipeline.is_some();
        let block = if asks_for_block { self.stated_block(chunk) } else { None };
        let miss_ratio = self.context.config.miss_ratio;
        ModelInputs { machine: &self.context.machine, text: &self.text, chunk, target, miss_ratio, block }
    }

    /// Returns the block size of the first stated launch: threads along x, y and z. `None` if no launch is
    /// stated. Needs no model.
    pub(crate) fn stated_block(&self, chunk: &Chunk) -> Option<[u32; 3]> {
        let name = chunk.name().unwrap_or_default();
        Some(self.context.launches.as_ref()?.launches_of(name).next()?.block)
    }

    /// Returns the chunks that contain instructions, with their indices.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = (usize, &Arc<Chunk>)> {
        self.listing().chunks().iter().enumerate().filter(|(_, chunk)| !chunk.instructions().is_empty())
    }

    /// Returns the kernels with this name, or all kernels for `None`, with their chunk indices.
    pub(crate) fn kernels_named(&self, name: Option<&str>) -> impl Iterator<Item = (usize, &Arc<Chunk>)> {
        self.kernels().filter(move |(_, chunk)| name.is_none_or(|name| names::kernel_name(chunk) == name))
    }

    /// Returns the chunks that touch a byte range of the document.
    pub(crate) fn chunks_in(&self, range: &Range<usize>) -> Range<usize> {
        let listing = self.listing();
        match (listing.chunk_at(range.start), listing.chunk_at(range.end)) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }

    /// Returns the byte offset of a chunk in the document.
    pub(crate) fn start(&self, chunk: usize) -> usize {
        self.listing().start(chunk).byte as usize
    }

    /// Returns the byte range in the document of a chunk's line, without the line ending.
    pub(crate) fn line_range(&self, chunk: usize, line: usize) -> Range<usize> {
        let start = self.start(chunk);
        let line = &self.listing().chunks()[chunk].lines()[line];
        start + line.start as usize..start + (line.start + line.len) as usize
    }

    /// Returns the lines of a chunk that touch a byte range of the document.
    pub(crate) fn lines_in(&self, chunk: usize, range: &Range<usize>) -> Range<usize> {
        let start = self.start(chunk);
        let own = range.start.saturating_sub(start)..range.end.saturating_sub(start);
        lines_in(&self.listing().chunks()[chunk], &own)
    }

    /// Returns the indices of a chunk's instructions on the lines that touch a byte range of the document.
    pub(crate) fn instructions_in(&self, chunk: usize, range: &Range<usize>) -> Range<usize> {
        instructions_on(&self.listing().chunks()[chunk], &self.lines_in(chunk, range))
    }

    /// Returns the line at a byte offset of the document. `None` if no line contains the offset.
    pub(crate) fn line_at(&self, offset: usize) -> Option<LineAt<'_>> {
        let index = self.listing().chunk_at(offset)?;
        let chunk = &self.listing().chunks()[index];
        let start = self.start(index);
        let line = chunk.line_at(u32::try_from(offset - start).ok()?)?;
        Some(LineAt { index, chunk, line, start: start + chunk.lines()[line].start as usize })
    }

    /// Returns the first instruction on the line at this offset: the index of its chunk, and its index in the
    /// chunk. `None` if the line has no instruction.
    pub(crate) fn instruction_at(&self, offset: usize) -> Option<(usize, usize)> {
        let index = self.listing().chunk_at(offset)?;
        let instructions = self.instructions_in(index, &(offset..offset));
        (!instructions.is_empty()).then_some((index, instructions.start))
    }

    /// Returns the architecture whose instruction set a chunk is written in.
    pub(crate) fn isa_arch(&self, chunk: &Chunk) -> Arc<Arch> {
        self.context.machine.gpu_for_sm(self.target(chunk).isa_sm).arch
    }

    /// Returns a chunk with its model. The model is from the memo, or is computed and memoized.
    pub(crate) fn kernel(&self, index: usize) -> KernelView<'_> {
        self.kernel_with(index, Self::model)
    }

    /// Returns a chunk with its model like [`Self::kernel`], but the memo does not keep the model.
    pub(crate) fn take_kernel(&self, index: usize) -> KernelView<'_> {
        self.kernel_with(index, Self::take_model)
    }

    fn kernel_with(
        &self,
        index: usize,
        model: impl Fn(&Self, &Chunk, &Target) -> Arc<KernelModel>,
    ) -> KernelView<'_> {
        let chunk = &self.listing().chunks()[index];
        let target = self.target(chunk);
        let model = model(self, chunk, &target);
        KernelView { sass: self, index, chunk, target, model }
    }

    /// Returns the PTX function that a chunk was lowered from. `None` for a chunk of a listing that the user
    /// sees.
    pub(crate) fn source(&self, chunk: &Chunk) -> Option<&LoweredFunction> {
        self.origin.as_ref()?.function(chunk)
    }

    /// Returns the byte range of a kernel's name. For a kernel without a name, returns the range of the first
    /// line with an instruction.
    pub(crate) fn name_range(&self, index: usize) -> Range<usize> {
        let chunk = &self.listing().chunks()[index];
        let start = self.start(index);
        chunk.name_range().map_or_else(
            || self.line_range(index, chunk.instructions()[0].line as usize),
            |name| start + name.start as usize..start + name.end as usize,
        )
    }

    /// Returns the key under which a launch states the trip count of the loop that a branch closes: the address of the
    /// branch. For PTX, the key is the label of the loop header.
    pub(crate) fn loop_key(&self, chunk: &Chunk, branch: u32, address: u32) -> String {
        let label = self.source(chunk).and_then(|source| source.label(branch));
        label.map_or_else(|| format!("{address:#x}"), str::to_owned)
    }

    /// Returns a view of an earlier version of the listing, with the settings and memo of this view.
    pub(crate) fn earlier(&self, text: &Arc<SassText>) -> Self {
        Self { text: Arc::clone(text), ..self.clone() }
    }
}

/// Returns the lines of a chunk that touch a byte range of the chunk.
fn lines_in(chunk: &Chunk, range: &Range<usize>) -> Range<usize> {
    let at = |byte: usize| chunk.line_at(u32::try_from(byte).unwrap_or(u32::MAX));
    match (at(range.start), at(range.end)) {
        (Some(first), Some(last)) => first..last + 1,
        _ => 0..0,
    }
}

/// Returns the indices of a chunk's instructions on the given lines.
fn instructions_on(chunk: &Chunk, lines: &Range<usize>) -> Range<usize> {
    let before = |line: usize| chunk.instructions().partition_point(|inst| (inst.line as usize) < line);
    before(lines.start)..before(lines.end)
}
