//! Language features for PTX. Each feature has one file or folder.

mod allowed;
mod blocks;
pub(crate) mod complete;
pub(crate) mod cost;
pub(crate) mod findings;
pub(crate) mod fixes;
pub(crate) mod folds;
pub(crate) mod format;
pub(crate) mod hover;
pub(crate) mod launch;
mod line_map;
mod lines;
pub(crate) mod links;
pub(crate) mod navigate;
mod needs;
mod referent;
pub(crate) mod relations;
pub(crate) mod rename;
mod roles;
pub(crate) mod selection;
pub(crate) mod semantic;
pub(crate) mod signature;
mod source;
pub(crate) mod symbols;
mod values;
pub(crate) mod view;

pub use line_map::{LineMap, MappedFunction};
pub use source::{PtxFunction, PtxSource};

use crate::engine::cancel::Cancellable;
use crate::engine::target::runs_on;
use crate::kernels::hints::HintRequest;
use crate::kernels::launch::{UNKNOWN_TRIP_COUNT, trips_to_state};
use crate::kernels::predict::{self, Roofline};
use crate::kernels::{lenses, occupancy_curves, summary};
use crate::ptx::view::View;
use crate::questions::{Costs, Editing, Navigation};
use crate::{
    CallItem, CallSite, CompletionKind, Completions, Diagnostic, Fix, Fold, HeatMap, Hint, Hover, Lens,
    LensLocation, LensSubject, NamedFunction, NavigationTarget, OccupancyCurves, Reference, Refusal,
    Relations, SelectionCycles, SemanticToken, Signature, SourceLink, StatedLaunch, StatedTrips, Summary,
    Symbol, TextEdit,
};
use model::Launch;
use model::pipeline::Budget;
use std::ops::Range;

impl Costs for View<'_> {
    fn gpu_name(&self) -> String {
        self.target_gpu().describe()
    }

    fn current_sm(&self) -> u16 {
        self.target_gpu().gpu.arch.sm
    }

    fn prepare(&self) -> Cancellable<()> {
        cost::prepare(self)
    }

    fn syntax_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        findings::of_syntax(self)
    }

    fn code_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        findings::of_text(self)
    }

    fn model_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        findings::of_model(self)
    }

    fn fixes(&self, rule: &str, range: Range<usize>) -> Cancellable<Vec<Fix>> {
        Ok(fixes::fixes(self, rule, &range))
    }

    fn launch_to_state(&self, offset: usize) -> Option<StatedLaunch> {
        launch::launch_to_state(self, offset)
    }

    fn trips_to_state(&self, rule: &str, offset: usize) -> Option<StatedTrips> {
        if rule != UNKNOWN_TRIP_COUNT {
            return None;
        }
        let asked = cost::asked(self, offset)?;
        trips_to_state(&asked.sass, rule, asked.offset)
    }

    fn hints(&self, asked: &HintRequest) -> Cancellable<Vec<Hint>> {
        cost::hints(self, asked)
    }

    fn early_hints(&self, asked: &HintRequest) -> Cancellable<Option<Vec<Hint>>> {
        cost::early_hints(self, asked)
    }

    fn hover(&self, offset: usize) -> Cancellable<Option<Hover>> {
        hover::hover(self, offset)
    }

    fn lenses(&self) -> Cancellable<Vec<Lens>> {
        cost::lenses(self)
    }

    fn lens_places(&self) -> Cancellable<Vec<LensLocation>> {
        cost::places(self)
    }

    fn lens(&self, kernel: usize, of: LensSubject) -> Cancellable<Option<Lens>> {
        cost::lens(self, kernel, of)
    }

    fn launches_stated(&self) -> usize {
        let Some(file) = &self.context.launches else { return 0 };
        let names = self.bodies().into_iter().filter_map(|item| self.module.items()[item].name());
        names.map(|name| file.launches_of(name).count()).sum()
    }

    fn simulate(&self, kernel: usize, launch: usize) -> Cancellable<bool> {
        cost::simulate(self, kernel, launch)
    }

    fn simulate_at(&self, offset: usize) -> Cancellable<bool> {
        cost::asked(self, offset).map_or(Ok(false), |asked| lenses::simulate_at(&asked.sass, asked.offset))
    }

    fn selection_cycles(&self, range: Range<usize>) -> Cancellable<Option<SelectionCycles>> {
        cost::selection_cycles(self, &range)
    }

    fn summary(&self, offset: usize) -> Cancellable<Option<Summary>> {
        cost::asked(self, offset).map_or(Ok(None), |asked| summary::at(&asked.sass, asked.offset))
    }

    fn roofline(&self, offset: usize, budget: fn(&Launch) -> Budget) -> Cancellable<Option<Roofline>> {
        cost::asked(self, offset)
            .map_or(Ok(None), |asked| predict::roofline(&asked.sass, asked.offset, budget))
    }

    fn heat(&self, range: &Range<usize>) -> Cancellable<Option<HeatMap>> {
        cost::heat(self, range)
    }

    fn occupancy_curves(&self, offset: usize) -> Cancellable<Option<OccupancyCurves>> {
        Ok(cost::asked(self, offset).and_then(|asked| occupancy_curves::curves(&asked.sass, asked.offset)))
    }

    fn runs_on(&self, sm: u16) -> bool {
        self.target().is_none_or(|target| runs_on(target, sm))
    }
}

impl Editing for View<'_> {
    fn semantic_tokens(&self, range: Option<Range<usize>>) -> Cancellable<Vec<SemanticToken>> {
        semantic::tokens(self, range)
    }

    fn folds(&self) -> Cancellable<Vec<Fold>> {
        folds::folds(self)
    }

    fn selections(&self, offset: usize) -> Vec<Range<usize>> {
        selection::around(self, offset)
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
        rename::range_at(self, offset)
    }

    fn rename(&self, offset: usize, new: &str) -> Cancellable<Result<Vec<TextEdit>, Refusal>> {
        rename::rename(self, offset, new)
    }

    fn format(&self, range: Option<Range<usize>>) -> Cancellable<Vec<TextEdit>> {
        format::format(self, range)
    }
}

impl Navigation for View<'_> {
    fn relations(&self, offset: usize) -> Cancellable<Option<Relations>> {
        Ok(relations::relations(self, offset))
    }

    fn symbols(&self) -> Cancellable<Vec<Symbol>> {
        symbols::symbols(self)
    }

    fn source_links(&self) -> Cancellable<Vec<SourceLink>> {
        links::links(self)
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
        navigate::incoming_calls(self, selection)
    }

    fn outgoing_calls(&self, selection: usize) -> Vec<CallSite> {
        navigate::outgoing_calls(self, selection)
    }
}
