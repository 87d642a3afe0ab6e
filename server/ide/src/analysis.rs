//! Everything that can be asked of a document, at one version.

use crate::document::Document;
use crate::hints::Asked;
use crate::host::Context;
use crate::kernel::{Answer, KernelModel, Options};
use crate::target::Target;
use crate::{
    Cancel, Diagnostic, Fold, Hint, Hover, Language, Lens, LensOf, LensPlace, SelectionCycles, SemanticToken,
    Symbol,
};
use crate::{
    findings, folds, hints, hover, launch, lenses, ptx, report, selection, semantic, summary, symbols,
};
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::{Chunk, Listing};

/// An immutable view of one document. Cheap to clone; may be used on any thread.
#[derive(Debug, Clone)]
pub struct Analysis {
    pub(crate) document: Arc<Document>,
    pub(crate) context: Arc<Context>,
    pub(crate) cancel: Cancel,
    /// The PTX that a listing stands for which nobody sees.
    pub(crate) origin: Option<Arc<ptx::Origin>>,
}

impl Analysis {
    /// The version that every answer of this snapshot belongs to.
    pub fn version(&self) -> i32 {
        self.document.version
    }

    /// The language that the text is read as.
    pub fn language(&self) -> Language {
        self.document.language()
    }

    /// True where the text is SASS in a notation that is known here.
    pub fn is_sass(&self) -> bool {
        self.listing().dialect().is_some()
    }

    /// The GPU that numbers are for, and why it, for the status line: `H100 SXM5 (assumed: the file names sm_90)`.
    /// Of the first kernel, where a file has code for several.
    pub fn gpu_name(&self) -> String {
        if let Some(ptx) = self.ptx() {
            return ptx.target_gpu().describe();
        }
        let chunks = self.listing().chunks();
        let chunk = chunks.iter().find(|chunk| !chunk.instructions().is_empty()).or_else(|| chunks.first());
        chunk.map_or_else(String::new, |chunk| self.target(chunk).describe())
    }

    /// Returns the findings of the parser; quick.
    pub fn syntax_diagnostics(&self) -> Answer<Vec<Diagnostic>> {
        match self.ptx() {
            Some(ptx) => ptx::of_syntax(&ptx),
            None => findings::of_syntax(self),
        }
    }

    /// Returns the findings that need the model; those of [`Self::syntax_diagnostics`] are not included.
    pub fn model_diagnostics(&self) -> Answer<Vec<Diagnostic>> {
        match self.ptx() {
            Some(ptx) => ptx::of_model(&ptx),
            None => findings::of_model(self),
        }
    }

    /// The part of [`Self::model_diagnostics`] that needs no launch: what is wrong with control codes, and all that rules find
    /// in PTX by its text. Quick for kernels that were looked at before.
    pub fn code_diagnostics(&self) -> Answer<Vec<Diagnostic>> {
        match self.ptx() {
            Some(ptx) => ptx::of_text(&ptx),
            None => findings::of_codes(self),
        }
    }

    /// Computes what hints and hovers of any kernel will ask for, so that they find it in the memo.
    pub fn prepare(&self) -> Answer<()> {
        if let Some(ptx) = self.ptx() {
            return ptx::prepare(&ptx);
        }
        for (_, chunk) in self.kernels() {
            self.cancel.check()?;
            let model = self.model(chunk, &self.target(chunk));
            self.issues(chunk, &model);
        }
        self.remember(&(0..self.listing().len()));
        Ok(())
    }

    /// Hints whose place is in the range, in text order.
    pub fn hints(&self, range: Range<usize>) -> Answer<Vec<Hint>> {
        self.hints_as(&Asked { range, tooltips: true })
    }

    /// The same hints with empty tooltips, in less time.
    pub fn hint_labels(&self, range: Range<usize>) -> Answer<Vec<Hint>> {
        self.hints_as(&Asked { range, tooltips: false })
    }

    fn hints_as(&self, asked: &Asked) -> Answer<Vec<Hint>> {
        if let Some(ptx) = self.ptx() {
            return ptx::hints(&ptx, asked);
        }
        let hints = hints::hints(self, asked)?;
        self.remember(&asked.range);
        Ok(hints)
    }

    /// Returns the meaning of the text at this place; `None` where there is nothing to say.
    pub fn hover(&self, offset: usize) -> Answer<Option<Hover>> {
        match self.ptx() {
            Some(ptx) => ptx::hover(&ptx, offset),
            None => hover::hover(self, offset),
        }
    }

    /// Tokens that touch the range, in text order; the whole text for `None`.
    pub fn semantic_tokens(&self, range: Option<Range<usize>>) -> Answer<Vec<SemanticToken>> {
        match self.ptx() {
            Some(ptx) => ptx::tokens(&ptx, range),
            None => semantic::tokens(self, range),
        }
    }

    /// Kernels with their blocks and labels, in text order.
    pub fn symbols(&self) -> Answer<Vec<Symbol>> {
        match self.ptx() {
            Some(ptx) => ptx::symbols(&ptx),
            None => symbols::symbols(self),
        }
    }

    pub fn folds(&self) -> Answer<Vec<Fold>> {
        match self.ptx() {
            Some(ptx) => ptx::folds(&ptx),
            None => folds::folds(self),
        }
    }

    /// One line of facts over each kernel and each innermost loop.
    pub fn lenses(&self) -> Answer<Vec<Lens>> {
        match self.ptx() {
            Some(ptx) => ptx::lenses(&ptx),
            None => lenses::lenses(self),
        }
    }

    /// Returns the places of [`Self::lenses`], for long listings of which only a part is looked at.
    pub fn lens_places(&self) -> Answer<Vec<LensPlace>> {
        match self.ptx() {
            Some(ptx) => ptx::places(&ptx),
            None => lenses::places(self),
        }
    }

    /// Launches of all kernels that somebody stated; needs no model. The lens of such a one takes a simulation.
    pub fn launches_stated(&self) -> usize {
        let Some(file) = &self.context.launches else { return 0 };
        self.kernels().map(|(_, chunk)| file.launches_of(chunk.name().unwrap_or_default()).count()).sum()
    }

    /// Returns the lens at such a place; `None` where there is none.
    pub fn lens(&self, kernel: usize, of: LensOf) -> Answer<Option<Lens>> {
        match self.ptx() {
            Some(ptx) => ptx::lens(&ptx, kernel, of),
            None => lenses::at(self, kernel, of),
        }
    }

    /// The cycles from the first to the last instruction that the range touches, for one warp; `None` where it touches
    /// fewer than two.
    pub fn selection_cycles(&self, range: Range<usize>) -> Answer<Option<SelectionCycles>> {
        match self.ptx() {
            Some(ptx) => ptx::selection_cycles(&ptx, &range),
            None => selection::cycles(self, range),
        }
    }

    /// The whole analysis as data.
    pub fn report(&self) -> Answer<report::Report> {
        report::of(self)
    }

    /// The analysis as data without its kernels, which [`Self::kernel_reports`] gives.
    pub fn report_outline(&self) -> report::Report {
        report::outline(self)
    }

    /// The names of all kernels as the listing has them, in text order, with the number of instructions of each.
    pub fn kernel_names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.kernels().map(|(_, chunk)| (report::name(chunk), chunk.instructions().len()))
    }

    /// The kernels of this name (all for `None`) at each of their launches, in text order: to be computed one by one, on any
    /// thread. A model is forgotten once its kernel's last report is given, unless instructions are not wanted.
    pub fn kernel_reports(&self, function: Option<&str>, wanted: report::Wanted) -> report::Reports<'_> {
        report::Reports::new(self, function, wanted)
    }

    /// The kernel at this place as data, for views that draw it; the nearest where none stands there.
    pub fn summary(&self, offset: usize) -> Answer<Option<summary::Summary>> {
        match self.ptx() {
            Some(ptx) => {
                ptx::asked(&ptx, offset).map_or(Ok(None), |asked| summary::at(&asked.analysis, asked.offset))
            }
            None => summary::at(self, offset),
        }
    }

    /// The document where it is PTX.
    pub(crate) fn ptx(&self) -> Option<ptx::View<'_>> {
        ptx::View::of(self)
    }

    /// An empty one where the document is PTX.
    pub(crate) fn listing(&self) -> &Listing {
        self.document.listing()
    }

    /// The GPU that a kernel's numbers are for.
    pub(crate) fn target(&self, chunk: &Chunk) -> Target {
        if let Some(origin) = &self.origin {
            return origin.target.clone();
        }
        Target::of(&self.context.machine, &self.context.wish, self.listing(), chunk)
    }

    /// A kernel's model, from the memo or computed now.
    pub(crate) fn model(&self, chunk: &Chunk, target: &Target) -> Arc<KernelModel> {
        self.context.memo.model(&self.context.machine, chunk, target, self.options(chunk, target))
    }

    /// The same, and the memo does not keep it.
    pub(crate) fn take_model(&self, chunk: &Chunk, target: &Target) -> Arc<KernelModel> {
        self.context.memo.take(&self.context.machine, chunk, target, self.options(chunk, target))
    }

    pub(crate) fn options(&self, chunk: &Chunk, target: &Target) -> Options {
        let asks_for_block = target.gpu.arch.pipeline.is_some();
        let block = if asks_for_block { launch::block(self, chunk) } else { None };
        Options { miss_ratio: self.context.config.miss_ratio, block }
    }

    /// The chunks that hold instructions, with their index.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = (usize, &Arc<Chunk>)> {
        self.listing().chunks().iter().enumerate().filter(|(_, chunk)| !chunk.instructions().is_empty())
    }

    /// The chunks that touch a range of bytes.
    pub(crate) fn chunks_in(&self, range: &Range<usize>) -> Range<usize> {
        let listing = self.listing();
        match (listing.chunk_at(range.start), listing.chunk_at(range.end)) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }

    /// Returns the offset of a chunk's start in the text, in bytes.
    pub(crate) fn start(&self, chunk: usize) -> usize {
        self.listing().start(chunk).byte as usize
    }

    /// The bytes of a line of a chunk in the whole text, without its ending.
    pub(crate) fn line_range(&self, chunk: usize, line: usize) -> Range<usize> {
        let start = self.start(chunk);
        let line = &self.listing().chunks()[chunk].lines()[line];
        start + line.start as usize..start + (line.start + line.len) as usize
    }
}

/// The lines of a chunk that touch a range of bytes of the chunk.
pub(crate) fn lines_in(chunk: &Chunk, range: &Range<usize>) -> Range<usize> {
    let at = |byte: usize| chunk.line_at(u32::try_from(byte).unwrap_or(u32::MAX));
    match (at(range.start), at(range.end)) {
        (Some(first), Some(last)) => first..last + 1,
        _ => 0..0,
    }
}

/// The instructions of a chunk that stand on these lines.
pub(crate) fn instructions_on(chunk: &Chunk, lines: &Range<usize>) -> Range<usize> {
    let before = |line: usize| chunk.instructions().partition_point(|inst| (inst.line as usize) < line);
    before(lines.start)..before(lines.end)
}
