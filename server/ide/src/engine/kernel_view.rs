//! A kernel of a listing with its model, as input of the queries about it.

use crate::engine::issue_simulation::Issues;
use crate::engine::kernel::KernelModel;
use crate::engine::sass_view::SassView;
use crate::engine::target::Target;
use model::pipeline::LoopTime;
use model::{LatencyNote, Program};
use std::sync::Arc;
use syntax::sass::{Chunk, Instruction};

/// A kernel of a listing, the GPU that its numbers are for, and its model.
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
    /// Returns the decoded kernel, with the architecture of the GPU whose times apply.
    pub(crate) fn program(&self) -> &Program {
        &self.model.program
    }

    /// Returns an instruction's mnemonic in the text.
    pub(crate) fn mnemonic(&self, inst: usize) -> &str {
        self.chunk.mnemonic(self.text(inst))
    }

    /// Returns an instruction as parsed from the text.
    pub(crate) fn text(&self, inst: usize) -> &Instruction {
        &self.chunk.instructions()[inst]
    }

    /// Returns the line of the listing that the chunk begins on, 0-based.
    pub(crate) fn first_line(&self) -> u32 {
        self.sass.listing().start(self.index).line
    }

    /// Returns in a few words why the `pipeline` model does not apply to the kernel; meaningless if it does.
    pub(crate) fn why_paper(&self) -> String {
        let Self { sass, target, model, .. } = self;
        if sass.wants_paper() {
            "as set".to_owned()
        } else if target.gpu.arch.pipeline.is_none() {
            format!("no simulation of sm_{}", target.gpu.arch.sm)
        } else if model.isa_arch.sm != target.gpu.arch.sm {
            format!("code of sm_{} on sm_{}", model.isa_arch.sm, target.gpu.arch.sm)
        } else {
            "no control codes".to_owned()
        }
    }

    /// Returns the issue of the kernel's instructions by the `pipeline` model; `None` if it does not apply or the
    /// settings select `paper`.
    pub(crate) fn issues(&self) -> Option<&Issues> {
        self.sass.issues(self.chunk, &self.model)
    }

    /// True if times shown next to instructions are those of the `pipeline` model: a single warp with warm caches.
    pub(crate) fn has_warm_caches(&self) -> bool {
        !self.sass.wants_paper() && self.model.assumes_warm_caches(self.chunk)
    }

    /// Returns the latency of an instruction, for the same cache state as its issue cycle; `None` if it has no result.
    pub(crate) fn latency_note(&self, inst: usize) -> Option<LatencyNote> {
        if self.has_warm_caches() {
            self.model.warm_latency_note(inst)
        } else {
            self.model.latency_note(inst)
        }
    }

    /// Returns the latency of a load that misses the caches, if [`Self::latency_note`] returns that of a hit; `None`
    /// otherwise.
    pub(crate) fn latency_of_miss(&self, inst: usize) -> Option<LatencyNote> {
        let note = self.model.latency_note(inst).filter(|_| self.has_warm_caches())?;
        (self.model.warm_latency_note(inst)?.cycles != note.cycles).then_some(note)
    }

    /// Returns the times of the kernel's innermost loops by the `pipeline` model, in text order; empty if it does not
    /// apply.
    pub(crate) fn loops(&self) -> &[LoopTime] {
        if self.sass.wants_paper() { &[] } else { self.model.loops(self.chunk) }
    }
}
