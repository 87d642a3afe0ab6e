//! A kernel of a listing with its model, as the answers about it see it.

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
    /// Index among the listing's chunks.
    pub index: usize,
    pub chunk: &'a Arc<Chunk>,
    pub target: Target,
    pub model: Arc<KernelModel>,
}

impl KernelView<'_> {
    /// Returns the decoded kernel, as the GPU times it.
    pub(crate) fn program(&self) -> &Program {
        &self.model.program
    }

    /// Returns an instruction's name in the text.
    pub(crate) fn mnemonic(&self, inst: usize) -> &str {
        self.chunk.mnemonic(self.text(inst))
    }

    /// Returns an instruction as the text has it.
    pub(crate) fn text(&self, inst: usize) -> &Instruction {
        &self.chunk.instructions()[inst]
    }

    /// Returns the line of the listing that the chunk begins on, counted from 0.
    pub(crate) fn first_line(&self) -> u32 {
        self.sass.listing().start(self.index).line
    }

    /// Why the `pipeline` model does not answer for the kernel, in a few words; of no meaning where it does.
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

    /// Returns the issue of the kernel's instructions by the `pipeline` model; `None` where that does not apply or is not
    /// wanted.
    pub(crate) fn issues(&self) -> Option<&Issues> {
        self.sass.issues(self.chunk, &self.model)
    }

    /// Whether times shown next to instructions are those of the `pipeline` model: one warp alone, caches warm.
    pub(crate) fn has_warm_caches(&self) -> bool {
        !self.sass.wants_paper() && self.model.assumes_warm_caches(self.chunk)
    }

    /// The latency of an instruction for the same state of the caches as its issue cycle; `None` for what has no result.
    pub(crate) fn latency_note(&self, inst: usize) -> Option<LatencyNote> {
        if self.has_warm_caches() {
            self.model.warm_latency_note(inst)
        } else {
            self.model.latency_note(inst)
        }
    }

    /// The latency of a load that misses the caches, where [`Self::latency_note`] is that of a hit; `None` for all else.
    pub(crate) fn latency_of_miss(&self, inst: usize) -> Option<LatencyNote> {
        let note = self.model.latency_note(inst).filter(|_| self.has_warm_caches())?;
        (self.model.warm_latency_note(inst)?.cycles != note.cycles).then_some(note)
    }

    /// Returns the times of the kernel's innermost loops by the same model, in text order; none where it does not apply.
    pub(crate) fn loops(&self) -> &[LoopTime] {
        if self.sass.wants_paper() { &[] } else { self.model.loops(self.chunk) }
    }
}
