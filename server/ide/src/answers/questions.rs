//! The questions that an editor asks of a document, in whatever language it is.

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

/// All that a language answers. Each is described at the method of [`crate::Analysis`] of the same name, which asks it.
pub(crate) trait Questions {
    fn gpu_name(&self) -> String;
    fn current_sm(&self) -> u16;
    fn prepare(&self) -> Answer<()>;

    fn syntax_diagnostics(&self) -> Answer<Vec<Diagnostic>>;
    fn code_diagnostics(&self) -> Answer<Vec<Diagnostic>>;
    fn model_diagnostics(&self) -> Answer<Vec<Diagnostic>>;
    fn fixes(&self, rule: &str, range: Range<usize>) -> Answer<Vec<Fix>>;
    fn launch_to_state(&self, offset: usize) -> Option<StatedLaunch>;
    fn trips_to_state(&self, rule: &str, offset: usize) -> Option<StatedTrips>;

    fn hints(&self, asked: &Asked) -> Answer<Vec<Hint>>;
    fn early_hints(&self, asked: &Asked) -> Answer<Option<Vec<Hint>>>;
    fn hover(&self, offset: usize) -> Answer<Option<Hover>>;
    fn lenses(&self) -> Answer<Vec<Lens>>;
    fn lens_places(&self) -> Answer<Vec<LensPlace>>;
    fn lens(&self, kernel: usize, of: LensOf) -> Answer<Option<Lens>>;
    fn launches_stated(&self) -> usize;
    fn simulate(&self, kernel: usize, launch: usize) -> Answer<bool>;
    fn simulate_at(&self, offset: usize) -> Answer<bool>;
    fn selection_cycles(&self, range: Range<usize>) -> Answer<Option<SelectionCycles>>;
    fn summary(&self, offset: usize) -> Answer<Option<Summary>>;
    fn roofline(&self, offset: usize, budget: fn(&Launch) -> Budget) -> Answer<Option<Roofline>>;
    fn heat(&self, range: &Range<usize>) -> Answer<Option<HeatMap>>;
    fn relations(&self, offset: usize) -> Answer<Option<Relations>>;
    fn occupancy_curves(&self, offset: usize) -> Answer<Option<OccupancyCurves>>;
    fn runs_on(&self, sm: u16) -> bool;

    fn semantic_tokens(&self, range: Option<Range<usize>>) -> Answer<Vec<SemanticToken>>;
    fn symbols(&self) -> Answer<Vec<Symbol>>;
    fn folds(&self) -> Answer<Vec<Fold>>;
    fn selections(&self, offset: usize) -> Vec<Range<usize>>;
    fn source_links(&self) -> Answer<Vec<SourceLink>>;

    fn definitions(&self, offset: usize) -> Option<(Range<usize>, Vec<NavigationTarget>)>;
    fn references(&self, offset: usize) -> Answer<Vec<Reference>>;
    fn named_functions(&self) -> Answer<Vec<NamedFunction>>;
    fn call_item(&self, offset: usize) -> Option<CallItem>;
    fn incoming_calls(&self, selection: usize) -> Answer<Vec<CallSite>>;
    fn outgoing_calls(&self, selection: usize) -> Vec<CallSite>;

    fn completions(&self, offset: usize) -> Option<Completions>;
    fn completion_page(&self, kind: CompletionKind, label: &str, opcode: &str) -> Option<String>;
    fn signature(&self, offset: usize) -> Option<Signature>;
    fn rename_range(&self, offset: usize) -> Result<Range<usize>, Refusal>;
    fn rename(&self, offset: usize, new: &str) -> Answer<Result<Vec<TextEdit>, Refusal>>;
    fn format(&self, range: Option<Range<usize>>) -> Answer<Vec<TextEdit>>;

    fn advice_actions(&self, offset: usize, asked: bool) -> Answer<Vec<AdviceAction>>;
    fn schedule_actions(&self, offset: usize, asked: bool) -> Answer<Vec<ScheduleAction>>;
    fn schedule_edits(
        &self,
        offset: usize,
        scope: ScheduleScope,
    ) -> Answer<Option<Result<Vec<TextEdit>, NotScheduled>>>;
    fn assemblers(&self, offset: usize) -> Vec<Assembler>;
    fn copy_as(&self, range: Range<usize>, assembler: Assembler) -> Result<Copied, Refusal>;
}
