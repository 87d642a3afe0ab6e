//! Language features for SASS listings. Each feature has one file or folder.

pub(crate) mod advice;
pub(crate) mod complete;
pub(crate) mod copy;
pub(crate) mod fixes;
pub(crate) mod folds;
pub(crate) mod format;
pub(crate) mod hover;
mod modifiers;
pub(crate) mod navigate;
pub(crate) mod repairs;
pub(crate) mod schedule;
pub(crate) mod semantic;
pub(crate) mod signature;
pub(crate) mod symbols;
mod token_at;

use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::kernels::hints::HintRequest;
use crate::kernels::predict::{self, Roofline};
use crate::kernels::{
    early, findings, heat, hints, launch, lenses, occupancy_curves, prepare, selection, source_links, summary,
};
use crate::questions::{Costs, Editing, Navigation};
use crate::{
    AdviceAction, Assembler, CallItem, CallSite, CompletionKind, Completions, CopiedInstructions, Diagnostic,
    Fix, Fold, HeatMap, Hint, Hover, Lens, LensLocation, LensSubject, NamedFunction, NavigationTarget,
    NotScheduled, OccupancyCurves, Reference, Refusal, Relations, ScheduleAction, ScheduleScope,
    SelectionCycles, SemanticToken, Signature, SourceLink, StatedLaunch, StatedTrips, Summary, Symbol,
    TextEdit,
};
use model::Launch;
use model::pipeline::Budget;
use std::ops::Range;

impl Costs for SassView {
    fn gpu_name(&self) -> String {
        let chunks = self.listing().chunks();
        let chunk = chunks.iter().find(|chunk| !chunk.instructions().is_empty()).or_else(|| chunks.first());
        chunk.map_or_else(String::new, |chunk| self.target(chunk).describe())
    }

    fn current_sm(&self) -> u16 {
        self.kernels().next().map_or(0, |(_, chunk)| self.target(chunk).gpu.arch.sm)
    }

    fn prepare(&self) -> Cancellable<()> {
        prepare::prepare(self)
    }

    fn syntax_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        findings::of_syntax(self)
    }

    fn code_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        findings::of_codes(self)
    }

    fn model_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        findings::of_model(self)
    }

    fn fixes(&self, rule: &str, range: Range<usize>) -> Cancellable<Vec<Fix>> {
        fixes::fixes(self, rule, range)
    }

    fn launch_to_state(&self, offset: usize) -> Option<StatedLaunch> {
        launch::launch_to_state(self, offset)
    }

    fn trips_to_state(&self, rule: &str, offset: usize) -> Option<StatedTrips> {
        launch::trips_to_state(self, rule, offset)
    }

    fn hints(&self, asked: &HintRequest) -> Cancellable<Vec<Hint>> {
        let hints = hints::hints(self, asked)?;
        early::remember(self, &asked.range);
        Ok(hints)
    }

    fn early_hints(&self, asked: &HintRequest) -> Cancellable<Option<Vec<Hint>>> {
        early::early_hints(self, asked)
    }

    fn hover(&self, offset: usize) -> Cancellable<Option<Hover>> {
        hover::hover(self, offset)
    }

    fn lenses(&self) -> Cancellable<Vec<Lens>> {
        lenses::lenses(self)
    }

    fn lens_places(&self) -> Cancellable<Vec<LensLocation>> {
        lenses::places(self)
    }

    fn lens(&self, kernel: usize, of: LensSubject) -> Cancellable<Option<Lens>> {
        lenses::at(self, kernel, of)
    }

    fn launches_stated(&self) -> usize {
        let Some(file) = &self.context.launches else { return 0 };
        self.kernels().map(|(_, chunk)| file.launches_of(chunk.name().unwrap_or_default()).count()).sum()
    }

    fn simulate(&self, kernel: usize, launch: usize) -> Cancellable<bool> {
        lenses::simulate(self, kernel, Some(launch))
    }

    fn simulate_at(&self, offset: usize) -> Cancellable<bool> {
        lenses::simulate_at(self, offset)
    }

    fn selection_cycles(&self, range: Range<usize>) -> Cancellable<Option<SelectionCycles>> {
        selection::cycles(self, range)
    }

    fn summary(&self, offset: usize) -> Cancellable<Option<Summary>> {
        summary::at(self, offset)
    }

    fn roofline(&self, offset: usize, budget: fn(&Launch) -> Budget) -> Cancellable<Option<Roofline>> {
        predict::roofline(self, offset, budget)
    }

    fn heat(&self, range: &Range<usize>) -> Cancellable<Option<HeatMap>> {
        heat::heat(self, range)
    }

    fn occupancy_curves(&self, offset: usize) -> Cancellable<Option<OccupancyCurves>> {
        Ok(occupancy_curves::curves(self, offset))
    }

    fn runs_on(&self, sm: u16) -> bool {
        let own = self.kernels().next().map(|(_, chunk)| self.target(chunk).isa_sm);
        own.is_some_and(|own| own / 10 == sm / 10 && own <= sm)
    }
}

impl Editing for SassView {
    fn semantic_tokens(&self, range: Option<Range<usize>>) -> Cancellable<Vec<SemanticToken>> {
        semantic::tokens(self, range)
    }

    fn folds(&self) -> Cancellable<Vec<Fold>> {
        folds::folds(self)
    }

    fn selections(&self, offset: usize) -> Vec<Range<usize>> {
        navigate::around(self, offset)
    }

    fn completions(&self, offset: usize) -> Option<Completions> {
        complete::completions(self, offset)
    }

    fn completion_page(&self, kind: CompletionKind, label: &str, opcode: &str) -> Option<String> {
        complete::page(self, kind, label, opcode)
    }

    fn signature(&self, offset: usize) -> Option<Signature> {
        signature::signature(self, offset)
    }

    fn rename_range(&self, offset: usize) -> Result<Range<usize>, Refusal> {
        navigate::range_at(self, offset)
    }

    fn rename(&self, offset: usize, new: &str) -> Cancellable<Result<Vec<TextEdit>, Refusal>> {
        navigate::rename(self, offset, new)
    }

    fn format(&self, range: Option<Range<usize>>) -> Cancellable<Vec<TextEdit>> {
        format::format(self, range)
    }

    fn advice_actions(&self, offset: usize, asked: bool) -> Cancellable<Vec<AdviceAction>> {
        advice::actions(self, offset, asked)
    }

    fn schedule_actions(&self, offset: usize, asked: bool) -> Cancellable<Vec<ScheduleAction>> {
        schedule::actions(self, offset, asked)
    }

    fn schedule_edits(
        &self,
        offset: usize,
        scope: ScheduleScope,
    ) -> Cancellable<Option<Result<Vec<TextEdit>, NotScheduled>>> {
        schedule::edits(self, offset, scope)
    }

    fn assemblers(&self, offset: usize) -> Vec<Assembler> {
        copy::assemblers(self, offset)
    }

    fn copy_as(&self, range: Range<usize>, assembler: Assembler) -> Result<CopiedInstructions, Refusal> {
        copy::copy_as(self, &range, assembler)
    }
}

impl Navigation for SassView {
    fn relations(&self, offset: usize) -> Cancellable<Option<Relations>> {
        navigate::relations(self, offset)
    }

    fn symbols(&self) -> Cancellable<Vec<Symbol>> {
        symbols::symbols(self)
    }

    fn source_links(&self) -> Cancellable<Vec<SourceLink>> {
        source_links::links(self)
    }

    fn definitions(&self, offset: usize) -> Option<(Range<usize>, Vec<NavigationTarget>)> {
        navigate::definitions(self, offset)
    }

    fn references(&self, offset: usize) -> Cancellable<Vec<Reference>> {
        navigate::references(self, offset)
    }

    fn named_functions(&self) -> Cancellable<Vec<NamedFunction>> {
        navigate::all_names(self)
    }

    fn call_item(&self, offset: usize) -> Option<CallItem> {
        navigate::item_at(self, offset)
    }

    fn incoming_calls(&self, selection: usize) -> Cancellable<Vec<CallSite>> {
        navigate::incoming(self, selection)
    }

    fn outgoing_calls(&self, selection: usize) -> Vec<CallSite> {
        navigate::outgoing(self, selection)
    }
}
