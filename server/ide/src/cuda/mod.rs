//! Language features for CUDA C++ that need only the source, not compiled code.

pub(crate) mod actions;
pub(crate) mod allowed;
pub(crate) mod asm;
pub(crate) mod findings;
pub(crate) mod fixes;
pub(crate) mod hover;
pub(crate) mod kernels;
pub(crate) mod lenses;
pub(crate) mod occupancy;
pub(crate) mod report;
mod template;
pub(crate) mod view;

use crate::cuda::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::questions::{Costs, Editing, Navigation};
use crate::{
    AdviceAction, CompletionKind, Completions, Diagnostic, Fix, Hover, Lens, LensLocation, LensSubject,
    NavigationTarget, Reference, Signature, StatedLaunch,
};
use std::ops::Range;

impl Costs for CudaView<'_> {
    fn gpu_name(&self) -> String {
        self.target_gpu().describe()
    }

    fn current_sm(&self) -> u16 {
        self.target_gpu().gpu.arch.sm
    }

    fn prepare(&self) -> Cancellable<()> {
        findings::findings(self).map(drop)
    }

    fn code_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        asm::findings(self)
    }

    fn model_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        let mut found = asm::findings(self)?;
        found.extend(findings::findings(self)?);
        found.sort_by_key(|diagnostic| diagnostic.range.start);
        Ok(found)
    }

    fn fixes(&self, rule: &str, range: Range<usize>) -> Cancellable<Vec<Fix>> {
        fixes::fixes(self, rule, &range)
    }

    fn launch_to_state(&self, offset: usize) -> Option<StatedLaunch> {
        kernels::launch_to_state(self, offset)
    }

    fn hover(&self, offset: usize) -> Cancellable<Option<Hover>> {
        match asm::hover(self, offset) {
            Some(found) => Ok(Some(found)),
            None => hover::hover(self, offset),
        }
    }

    fn lens_places(&self) -> Cancellable<Vec<LensLocation>> {
        lenses::places(self)
    }

    fn lens(&self, kernel: usize, of: LensSubject) -> Cancellable<Option<Lens>> {
        lenses::lens(self, kernel, of)
    }
}

impl Editing for CudaView<'_> {
    fn completions(&self, offset: usize) -> Option<Completions> {
        asm::completions(self, offset)
    }

    fn completion_page(&self, kind: CompletionKind, label: &str, opcode: &str) -> Option<String> {
        asm::page(self, kind, label, opcode)
    }

    fn signature(&self, offset: usize) -> Option<Signature> {
        asm::signature(self, offset)
    }

    fn advice_actions(&self, offset: usize, _: bool) -> Cancellable<Vec<AdviceAction>> {
        actions::actions(self, offset)
    }
}

impl Navigation for CudaView<'_> {
    fn definitions(&self, offset: usize) -> Option<(Range<usize>, Vec<NavigationTarget>)> {
        asm::definitions(self, offset)
    }

    fn references(&self, offset: usize) -> Cancellable<Vec<Reference>> {
        asm::references(self, offset)
    }
}
