//! A kernel of a listing together with its model, for queries.

use crate::engine::issue_simulation::Issues;
use crate::engine::kernel::KernelModel;
use crate::engine::sass_view::SassView;
use crate::engine::target::Target;
use model::pipeline::LoopTime;
use model::{LatencyNote, Program};
use std::sync::Arc;
use syntax::sass::{Chunk, Instruction};

/// A kernel of a listing, the GPU that its figures refer to, and its model.
#[derive(Debug)]
pub(crate) struct KernelView<'a> {
    pub sass: &'a SassView,
    /// Index of the chunk in the listing.
    pub index: usize,
    pub chunk: &'a Arc<Chunk>,
    pub target: Target,
    pub model: Arc<KernelModel>,
}

impl KernelView<'_> {
    /// Returns the decoded kernel, with the architecture of the GPU whose latencies apply.
    pub(crate) fn program(&self) -> &Program {
        &self.model.program
    }

    /// Returns the mnemonic of an instruction as written in the listing.
    pub(crate) fn mnemonic(&self, inst: usize) -> &str {
        self.chunk.mnemonic(self.text(inst))
    }

    /// Returns an instruction as parsed from the listing.
    pub(crate) fn text(&self, inst: usize) -> &Instruction {
        &self.chunk.instructions()[inst]
    }

    /// Returns the 0-based line of the listing that the chunk starts on.
    pub(crate) fn first_line(&self) -> u32 {
        self.sass.listing().start(self.index).line
    }

    /// Returns a short reason why the `pipeline` model does not apply to the kernel. Meaningless if the model
    /// applies.
    pub(crate) fn why_paper(&self) -> String {
        let Self { sass, target, model, .. } = self;
        if sass.wants_paper() {
            "selected in the settings".to_owned()
        } else if target.gpu.arch.pipeline.is_none() {
            format!("no simulation of sm_{}", target.gpu.arch.sm)
        } else if model.isa_arch.sm != target.gpu.arch.sm {
            format!("code of sm_{} on sm_{}", model.isa_arch.sm, target.gpu.arch.sm)
        } else {
            "no control codes".to_owned()
        }
    }

    /// Returns the issue cycles that the `pipeline` model predicts for the kernel's instructions. `None` if the model
    /// does not apply, or if the settings select `paper`.
    pub(crate) fn issues(&self) -> Option<&Issues> {
        self.sass.issues(self.chunk, &self.model)
    }

    /// True if the displayed latencies are those of the `pipeline` model: a single warp with warm caches.
    pub(crate) fn has_warm_caches(&self) -> bool {
        !self.sass.wants_paper() && self.model.assumes_warm_caches(self.chunk)
    }

    /// Returns the latency of an instruction, for the same cache state as its issue cycle. `None` if the
    /// instruction has no result.
    pub(crate) fn latency_note(&self, inst: usize) -> Option<LatencyNote> {
        if self.has_warm_caches() {
            self.model.warm_latency_note(inst)
        } else {
            self.model.latency_note(inst)
        }
    }

    /// Returns the latency of a load that misses the caches, if [`Self::latency_note`] returns the latency of
    /// a hit. `None` otherwise.
    pub(crate) fn latency_of_miss(&self, inst: usize) -> Option<LatencyNote> {
        let note = self.model.latency_note(inst).filter(|_| self.has_warm_caches())?;
        (self.model.warm_latency_note(inst)?.cycles != note.cycles).then_some(note)
    }

    /// Returns the cycles that the `pipeline` model predicts for the kernel's innermost loops, in text order. Empty
    /// if the model does not apply, or if the settings select `paper`.
    pub(crate) fn loops(&self) -> &[LoopTime] {
        if self.sass.wants_paper() { &[] } else { self.model.loops(self.chunk) }
    }
}
