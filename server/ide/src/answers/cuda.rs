//! The answers of CUDA to the questions of an editor. What C++ is, its own language server says.

use crate::answers::questions::Questions;
use crate::cuda::view::CudaView;
use crate::cuda::{actions, asm, findings, fixes, hover, kernels, lenses};
use crate::engine::cancel::Answer;
use crate::kernels::hints::Asked;
use crate::kernels::predict::Roofline;
use crate::{
    AdviceAction, Assembler, CallItem, CallSite, CompletionKind, Completions, Copied, Diagnostic, Fix, Fold,
    HeatMap, Hint, Hover, Lens, LensOf, LensPlace, NamedFunction, NavigationTarget, NotScheduled,
    OccupancyCurves, Reference, Refusal, Relations, ScheduleAction, ScheduleScope, SelectionCycles,
    SemanticToken, Signature, SourceLink, StatedLaunch, StatedTrips, Summary, Symbol, TextEdit,
};
use model::Launch;
use model::pipeline::Budget;
use std::ops::Range;

impl Questions for CudaView<'_> {
    fn gpu_name(&self) -> String {
        self.target_gpu().describe()
    }

    fn current_sm(&self) -> u16 {
        self.target_gpu().gpu.arch.sm
    }

    fn prepare(&self) -> Answer<()> {
        findings::findings(self).map(drop)
    }

    // A C++ server reports syntax errors.
    fn syntax_diagnostics(&self) -> Answer<Vec<Diagnostic>> {
        Ok(Vec::new())
    }

    fn code_diagnostics(&self) -> Answer<Vec<Diagnostic>> {
        asm::findings(self)
    }

    fn model_diagnostics(&self) -> Answer<Vec<Diagnostic>> {
        let mut found = asm::findings(self)?;
        found.extend(findings::findings(self)?);
        found.sort_by_key(|diagnostic| diagnostic.range.start);
        Ok(found)
    }

    fn fixes(&self, rule: &str, range: Range<usize>) -> Answer<Vec<Fix>> {
        fixes::fixes(self, rule, &range)
    }

    fn launch_to_state(&self, offset: usize) -> Option<StatedLaunch> {
        kernels::launch_to_state(self, offset)
    }

    fn trips_to_state(&self, _: &str, _: usize) -> Option<StatedTrips> {
        None
    }

    // What lines cost is asked of their code.
    fn heat(&self, _: &Range<usize>) -> Answer<Option<HeatMap>> {
        Ok(None)
    }

    fn relations(&self, _: usize) -> Answer<Option<Relations>> {
        Ok(None)
    }

    fn occupancy_curves(&self, _: usize) -> Answer<Option<OccupancyCurves>> {
        Ok(None)
    }

    fn runs_on(&self, _: u16) -> bool {
        false
    }

    fn hints(&self, _: &Asked) -> Answer<Vec<Hint>> {
        Ok(Vec::new())
    }

    fn early_hints(&self, _: &Asked) -> Answer<Option<Vec<Hint>>> {
        Ok(None)
    }

    fn hover(&self, offset: usize) -> Answer<Option<Hover>> {
        match asm::hover(self, offset) {
            Some(found) => Ok(Some(found)),
            None => hover::hover(self, offset),
        }
    }

    fn lenses(&self) -> Answer<Vec<Lens>> {
        let places = lenses::places(self)?;
        let all = places.iter().map(|place| lenses::lens(self, place.kernel, place.of));
        Ok(all.collect::<Answer<Vec<_>>>()?.into_iter().flatten().collect())
    }

    fn lens_places(&self) -> Answer<Vec<LensPlace>> {
        lenses::places(self)
    }

    fn lens(&self, kernel: usize, of: LensOf) -> Answer<Option<Lens>> {
        lenses::lens(self, kernel, of)
    }

    fn launches_stated(&self) -> usize {
        0
    }

    // Cycles are those of compiled code.

    // Answers from the text alone need no simulation of the pipeline.
    fn simulate(&self, _: usize, _: usize) -> Answer<bool> {
        Ok(false)
    }

    fn simulate_at(&self, _: usize) -> Answer<bool> {
        Ok(false)
    }

    fn selection_cycles(&self, _: Range<usize>) -> Answer<Option<SelectionCycles>> {
        Ok(None)
    }

    fn summary(&self, _: usize) -> Answer<Option<Summary>> {
        Ok(None)
    }

    fn roofline(&self, _: usize, _: fn(&Launch) -> Budget) -> Answer<Option<Roofline>> {
        Ok(None)
    }

    // Names, colours and text are a C++ server's.

    fn semantic_tokens(&self, _: Option<Range<usize>>) -> Answer<Vec<SemanticToken>> {
        Ok(Vec::new())
    }

    fn symbols(&self) -> Answer<Vec<Symbol>> {
        Ok(Vec::new())
    }

    fn folds(&self) -> Answer<Vec<Fold>> {
        Ok(Vec::new())
    }

    fn selections(&self, _: usize) -> Vec<Range<usize>> {
        Vec::new()
    }

    fn source_links(&self) -> Answer<Vec<SourceLink>> {
        Ok(Vec::new())
    }

    // Of `asm` statements the code is PTX, which no other server reads.

    fn definitions(&self, offset: usize) -> Option<(Range<usize>, Vec<NavigationTarget>)> {
        asm::definitions(self, offset)
    }

    fn references(&self, offset: usize) -> Answer<Vec<Reference>> {
        asm::references(self, offset)
    }

    fn completions(&self, offset: usize) -> Option<Completions> {
        asm::completions(self, offset)
    }

    fn completion_page(&self, kind: CompletionKind, label: &str, opcode: &str) -> Option<String> {
        asm::page(self, kind, label, opcode)
    }

    fn signature(&self, offset: usize) -> Option<Signature> {
        asm::signature(self, offset)
    }

    // All other names are a C++ server's.

    fn named_functions(&self) -> Answer<Vec<NamedFunction>> {
        Ok(Vec::new())
    }

    fn call_item(&self, _: usize) -> Option<CallItem> {
        None
    }

    fn incoming_calls(&self, _: usize) -> Answer<Vec<CallSite>> {
        Ok(Vec::new())
    }

    fn outgoing_calls(&self, _: usize) -> Vec<CallSite> {
        Vec::new()
    }

    fn rename_range(&self, _: usize) -> Result<Range<usize>, Refusal> {
        Err(Refusal::no_name())
    }

    fn rename(&self, _: usize, _: &str) -> Answer<Result<Vec<TextEdit>, Refusal>> {
        Ok(Err(Refusal::no_name()))
    }

    fn format(&self, _: Option<Range<usize>>) -> Answer<Vec<TextEdit>> {
        Ok(Vec::new())
    }

    fn advice_actions(&self, offset: usize, _: bool) -> Answer<Vec<AdviceAction>> {
        actions::actions(self, offset)
    }

    fn schedule_actions(&self, _: usize, _: bool) -> Answer<Vec<ScheduleAction>> {
        Ok(Vec::new())
    }

    fn schedule_edits(
        &self,
        _: usize,
        _: ScheduleScope,
    ) -> Answer<Option<Result<Vec<TextEdit>, NotScheduled>>> {
        Ok(None)
    }

    fn assemblers(&self, _: usize) -> Vec<Assembler> {
        Vec::new()
    }

    fn copy_as(&self, _: Range<usize>, _: Assembler) -> Result<Copied, Refusal> {
        Err(Refusal::no_instruction())
    }
}
