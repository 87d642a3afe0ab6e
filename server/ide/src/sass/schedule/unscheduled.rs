//! Kernels whose control codes are to be computed.

use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::engine::target::Target;
use machine::{Arch, Pipeline};
use model::Program;
use model::schedule::{Plan, Request, compute};
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::{Chunk, Encoding};

/// A kernel of a listing whose control codes are to be computed.
pub(in crate::sass) struct UnscheduledKernel<'a> {
    pub(super) sass: &'a SassView,
    pub(super) index: usize,
    /// The kernel as in the listing.
    pub(super) given: &'a Arc<Chunk>,
    /// The kernel after register renaming; equal to `given` if no register was renamed.
    pub(in crate::sass) chunk: Arc<Chunk>,
    pub(super) renamed: usize,
    pub(super) target: Target,
    /// Program decoded for the architecture of the listing. Control codes are written for this
    /// architecture, even if cycles are predicted for another GPU.
    pub(in crate::sass) program: Program,
    pub(in crate::sass) arch: Arc<Arch>,
}

impl<'a> UnscheduledKernel<'a> {
    pub(in crate::sass) fn new(sass: &'a SassView, index: usize) -> Self {
        let given = &sass.listing().chunks()[index];
        let target = sass.target(given);
        let arch = sass.context.machine.gpu_for_sm(target.isa_sm).arch;
        let program = Program::decode(given, &arch);
        Self { sass, index, given, chunk: given.clone(), renamed: 0, target, program, arch }
    }

    /// Returns the kernel's index among the listing's chunks.
    pub(in crate::sass) const fn index(&self) -> usize {
        self.index
    }

    pub(super) fn plan(&self, request: &Request) -> Cancellable<Plan> {
        self.sass.cancel.check()?;
        let plan = compute(&self.chunk, &self.program, request);
        self.sass.cancel.check()?;
        Ok(plan)
    }

    /// Returns the pipeline figures that list the operand slots of opcodes. They belong to the
    /// architecture, otherwise to a calibrated architecture with the same encoding.
    pub(super) fn figures(&self) -> Option<Arc<Pipeline>> {
        let machine = &self.sass.context.machine;
        let is_volta = self.chunk.encoding() == Some(Encoding::Volta);
        self.arch.pipeline.clone().or_else(|| {
            let mut parts = machine.calibrated().filter(|_| is_volta);
            parts.find_map(|part| machine.gpu(&part.id).ok()?.arch.pipeline.clone())
        })
    }

    /// Basic block that contains an instruction.
    pub(super) fn block(&self, inst: usize) -> Range<u32> {
        let block = self.program.instructions[inst].block;
        self.program.blocks[block as usize].instructions.clone()
    }
}
