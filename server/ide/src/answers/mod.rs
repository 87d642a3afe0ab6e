//! All queries on a version of a document, as methods of [`Analysis`].
//!
//! A query that is more than a question to the document's language has a file. The file merges the contributions of
//! the language, compiled code and profiles, or uses the views that a [`Snapshot`] returns for each language. The types
//! of its answer are in the same file. All public types of this module are exported by the crate.

mod contributors;
mod findings;
mod fixes;
mod gpus;
mod heat;
mod hints;
mod hover;
mod lenses;
pub(crate) mod snapshot;
mod source_facts;

pub use gpus::GpuRow;

use crate::compiled::compare::{Comparison, compare};
use crate::compiled::gain;
use crate::cuda::kernels::found_launches;
use crate::cuda::report::{TextReport, report};
use crate::cuda::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::engine::code::{CodePart, Compiled, CompiledFrom, ListedCode};
use crate::engine::sass_view::SassView;
use crate::engine::stated::ExternalFacts;
use crate::engine::target::Target;
use crate::kernels::hints::HintRequest;
use crate::kernels::predict::Roofline;
use crate::kernels::predict::effort::quick;
use crate::kernels::search;
use crate::measured::fixes::AdviceFixes;
use crate::measured::view::ProfileView;
use crate::ptx::{LineMap, PtxSource, cost};
use crate::sass::repairs::is_repaired;
use crate::tune::outcome::predicted;
use crate::{
    AdviceAction, Assembler, CallItem, CallSite, CompletionKind, Completions, CopiedInstructions, Diagnostic,
    Fix, Fold, FoundSymbol, HeatMap, Hint, Hover, KeptConfigurations, Language, LaunchEntry, Lens,
    LensLocation, LensSubject, ModelChoice, NamedFunction, NavigationTarget, NotScheduled, OccupancyCurves,
    PlannedVariant, Reference, Refusal, Relations, ScheduleAction, ScheduleScope, SelectionCycles,
    SemanticToken, Shape, Signature, SourceLink, StatedBuild, StatedLaunch, StatedTrips, Summary, Symbol,
    TextEdit, TritonError, TunedKernel, TuningError, TuningOutcome, TuningPlan, VariantPrediction,
};
use advisor::top_down::is_guide;
use model::ModelName;
use snapshot::{Answers, Snapshot};
use std::ops::Range;
use std::sync::Arc;

/// An immutable view of a document. Cheap to clone; may be used on any thread.
///
/// Queries that need only the document's language are implemented in `questions/`. The files of this folder merge
/// their results with the findings, hints and figures of compiled code and profiles. All answers are empty if the
/// document is too large to parse, or if the setting `leaveAlone` reserves the language for another server.
#[derive(Debug, Clone)]
pub struct Analysis {
    pub(crate) snapshot: Snapshot,
}

impl Analysis {
    /// Returns the version of the document that this snapshot was taken from.
    pub fn version(&self) -> i32 {
        self.snapshot.document.version
    }

    /// Returns the language that the document is parsed in.
    pub fn language(&self) -> Language {
        self.snapshot.document.language()
    }

    /// Returns the listing, for the command line. `None` if the document is not SASS.
    pub fn sass(&self) -> Option<SassView> {
        self.snapshot.sass()
    }

    /// Returns the SASS that the functions of a PTX document are expected to compile to. Answers of the view
    /// refer to lines of the PTX. `None` if the document is not PTX.
    pub fn lowered(&self) -> Option<SassView> {
        Some(cost::lowered(&self.snapshot.ptx()?))
    }

    /// Returns the PTX text in the form that is passed to ptxas. `None` if the document is not PTX.
    pub fn ptx_source(&self) -> Option<PtxSource> {
        Some(PtxSource::new(self.snapshot.ptx()?.module))
    }

    /// Reads the listing and the cubin of code compiled from this document, for [`crate::Host::attach`]. The
    /// call takes as long as opening the listing.
    pub fn read_code(&self, listing: &str, cubin: &[u8], from: CompiledFrom) -> Compiled {
        match self.ptx_source() {
            Some(source) => {
                let map = LineMap::build(&source, cubin, listing);
                Compiled::of_ptx(&self.snapshot.context.machine, listing, cubin, &map, from)
            }
            None => Compiled::read(&self.snapshot.context.machine, listing, cubin, from),
        }
    }

    /// Returns the report on the kernels of a CUDA document. `None` for any other document.
    pub fn text_report(&self) -> Cancellable<Option<TextReport>> {
        self.snapshot.cuda(|view| self.snapshot.cancel.ending(|| report(view))).transpose()
    }

    /// Compares the code of an earlier version of this document with the code of this version. `None` unless
    /// each version has code that was compiled from exactly its own text.
    pub fn compare(&self, earlier: &Self) -> Cancellable<Option<Comparison>> {
        let (Some(before), Some(after)) = (earlier.snapshot.code(), self.snapshot.code()) else {
            return Ok(None);
        };
        if before.is_stale() || after.is_stale() {
            return Ok(None);
        }
        compare(&before, &after).map(Some)
    }

    /// True if the attached code was compiled from the document's current text.
    pub fn has_its_code(&self) -> bool {
        self.snapshot.code().is_some_and(|code| !code.is_stale())
    }

    /// Returns this document with edits applied. The edits must be in text order and must not overlap.
    #[must_use]
    pub fn with_edits(&self, edits: &[TextEdit]) -> Self {
        // Edits are applied from the last to the first, so that the offsets of the remaining edits stay
        // valid.
        let edits: Vec<TextEdit> = edits.iter().rev().cloned().collect();
        let document = self.snapshot.document.edited(self.version(), &edits);
        Self { snapshot: Snapshot { document, ..self.snapshot.clone() } }
    }

    /// Describes how code compiled from this document compares with the code of an earlier version: `12 %
    /// fewer cycles, 40 -> 32 registers`. `None` unless the earlier version has code that was compiled from
    /// exactly its text.
    pub fn gain_over(&self, earlier: &Self, compiled: Compiled) -> Cancellable<Option<String>> {
        let document = self.snapshot.document.attach(Some(compiled));
        let edited = Snapshot { document, ..self.snapshot.clone() };
        let earlier = Snapshot { cancel: self.snapshot.cancel.clone(), ..earlier.snapshot.clone() };
        let (Some(before), Some(after)) = (earlier.code(), edited.code()) else { return Ok(None) };
        if before.is_stale() {
            return Ok(None);
        }
        self.snapshot.cancel.ending(|| gain::in_words(&before, &after)).map(Some)
    }

    /// Reads the code that a build produced from this document. Each part is the code of one cubin.
    pub fn read_left_code(&self, parts: &[CodePart], from: CompiledFrom) -> Compiled {
        Compiled::read_left(&self.snapshot.context.machine, parts, from)
    }

    /// Returns the default architecture for CUDA units whose build specifies no architecture, whether the user
    /// selected a GPU, and the build settings of the launches file.
    pub fn build(&self) -> (u16, bool, StatedBuild) {
        let wish = &self.snapshot.context.wish;
        let sm = Target::for_module(&self.snapshot.context.machine, wish, None).isa_sm;
        let stated =
            self.snapshot.context.launches.as_ref().map(|file| file.compile.clone()).unwrap_or_default();
        (sm, wish.gpu.is_some(), stated)
    }

    /// Returns the launches in host code of the kernels with these names in compiled code. Skips kernels that have a
    /// launch in the launches file.
    pub fn found_launches(&self, kernels: &[&str]) -> Vec<LaunchEntry> {
        let all =
            |view: &CudaView<'_>| kernels.iter().flat_map(|kernel| found_launches(view, kernel)).collect();
        self.snapshot.cuda(all).unwrap_or_default()
    }

    /// Returns facts about code compiled from this document, for [`crate::Host::set_code`] on the listing:
    /// facts stored in the code, and the launches and parameter names found in this document. Parses the
    /// document's host code.
    pub fn listed(&self, compiled: &Compiled) -> ListedCode {
        let source = Arc::new(self.snapshot.source_facts(compiled));
        ListedCode(ExternalFacts { source, ..compiled.0.given_of_view() })
    }

    /// Returns the GPU that figures refer to, and why it was chosen, for the status line: `H100 SXM5
    /// (assumed: the file names sm_90)`. For a file with code for several GPUs, returns the GPU of the first
    /// kernel.
    pub fn gpu_name(&self) -> String {
        self.snapshot.answers(|language| language.gpu_name())
    }

    /// Returns the name of the model that predicts cycles, for the status line: `pipeline` if the GPU has
    /// pipeline data and the settings do not select the paper model, otherwise `paper`.
    pub fn model_name(&self) -> &'static str {
        let sm = self.snapshot.answers(|language| language.current_sm());
        let is_calibrated = self.snapshot.context.machine.gpu_for_sm(sm).arch.pipeline.is_some();
        let is_wanted = self.snapshot.context.config.model != ModelChoice::Paper;
        if is_calibrated && is_wanted { ModelName::Pipeline.name() } else { ModelName::Paper.name() }
    }

    /// Computes the kernel models that hints and hovers need, and memoizes them.
    pub fn prepare(&self) -> Cancellable<()> {
        self.ask(|language| language.prepare())
    }

    /// Returns the parser's diagnostics. Fast: needs no model.
    pub fn syntax_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        self.ask(|language| language.syntax_diagnostics())
    }

    /// Returns the findings of [`Self::model_diagnostics`] that need no launch: errors in control codes, and
    /// all rule findings in PTX. Fast for kernels that were checked before.
    pub fn code_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        self.ask(|language| language.code_diagnostics())
    }

    /// Returns the findings that need the model. Excludes the findings of [`Self::syntax_diagnostics`].
    pub fn model_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        self.snapshot.contributors(findings::findings)
    }

    /// Returns the fixes for a rule's finding at this range, best first.
    pub fn fixes(&self, rule: &str, range: Range<usize>) -> Cancellable<Vec<Fix>> {
        self.ask(|language| language.fixes(rule, range))
    }

    /// True if the document is SASS and the rule checks control codes, which can be recomputed.
    pub fn is_of_control_codes(&self, rule: &str) -> bool {
        self.language() == Language::Sass && is_repaired(rule)
    }

    /// Returns the edits that implement a recommendation derived from measurements. `code` is the
    /// recommendation's diagnostic code; `range` is the range of its diagnostic. `None` if no profile has
    /// this recommendation at the range.
    pub fn measured_fixes(&self, code: &str, range: Range<usize>) -> Cancellable<Option<AdviceFixes>> {
        fixes::measured_fixes(&self.snapshot, code, &range)
    }

    /// True if diagnostics with this code are recommendations derived from measurements.
    pub fn is_advice(&self, code: &str) -> bool {
        is_guide(code)
    }

    /// True if the launches file of the document's folder states a command that builds and runs the program
    /// to measure.
    pub fn runs(&self) -> bool {
        self.snapshot.context.launches.as_ref().is_some_and(|file| !file.run.command.is_empty())
    }

    /// Returns the launch to propose for `warplens.toml`, for the kernel named on the line of this offset.
    /// `None` if the file already states a launch of the kernel.
    pub fn launch_to_state(&self, offset: usize) -> Cancellable<Option<StatedLaunch>> {
        self.ask(|language| Ok(language.launch_to_state(offset)))
    }

    /// Returns the trip count to propose for `warplens.toml`, for the loop whose backward branch has
    /// this rule's finding.
    ///
    /// `None` for findings of other rules, and for a loop whose backward branch has no address.
    pub fn trips_to_state(&self, rule: &str, offset: usize) -> Cancellable<Option<StatedTrips>> {
        self.ask(|language| Ok(language.trips_to_state(rule, offset)))
    }

    /// Returns the hints whose offset is in the range, in text order.
    pub fn hints(&self, range: Range<usize>) -> Cancellable<Vec<Hint>> {
        self.hints_asked(&HintRequest { range, tooltips: true })
    }

    /// Returns the same hints as [`Self::hints`] without tooltips, in less time.
    pub fn hint_labels(&self, range: Range<usize>) -> Cancellable<Vec<Hint>> {
        self.hints_asked(&HintRequest { range, tooltips: false })
    }

    fn hints_asked(&self, asked: &HintRequest) -> Cancellable<Vec<Hint>> {
        self.snapshot.contributors(|all| hints::hints(all, asked))
    }

    /// Returns the hottest lines of the document. Uses the samples of an attached profile. If there are no samples,
    /// uses the cycles predicted for the kernels that intersect the range. `None` if neither is available.
    pub fn heat(&self, range: &Range<usize>) -> Cancellable<Option<HeatMap>> {
        self.snapshot.contributors(|all| heat::heat(all, range, &self.snapshot.cancel))
    }

    /// Returns the producers and consumers of the instruction at this offset, and the live ranges of its
    /// registers. `None` if no instruction is at the offset.
    pub fn relations(&self, offset: usize) -> Cancellable<Option<Relations>> {
        self.ask(|language| language.relations(offset))
    }

    /// Returns the occupancy of the kernel at this offset, or of the nearest kernel, as a function of
    /// registers, shared memory and block size. `None` if the document has no kernel.
    pub fn occupancy_curves(&self, offset: usize) -> Cancellable<Option<OccupancyCurves>> {
        self.ask(|language| language.occupancy_curves(offset))
    }

    /// Returns one row per GPU that can run the code of the kernel at this offset, for the kernel's first launch. The
    /// current GPU is first. Empty if there is no kernel.
    pub fn on_gpus(&self, offset: usize) -> Cancellable<Vec<GpuRow>> {
        gpus::on_gpus(&self.snapshot, offset)
    }

    /// Returns the range of the instruction or source line at an address in a profiled kernel. `kernel` is
    /// the kernel's name in the profile. `None` if the document does not contain the address.
    pub fn profiled_place(&self, kernel: &str, address: u64) -> Cancellable<Option<Range<usize>>> {
        self.snapshot
            .contributors(|all| all.profile().map_or(Ok(None), |profile| profile.place(kernel, address)))
    }

    /// Returns the number of the document's kernels that an attached profile measured, and the total number of the
    /// document's kernels. `None` if the document has no code, or if no profile is attached.
    pub fn measured_kernels(&self) -> Cancellable<Option<(usize, usize)>> {
        self.snapshot.contributors(|all| Ok(all.profile().and_then(ProfileView::measured_kernels)))
    }

    /// Returns hints to show while [`Self::hints`] is being computed. `None` if that computation is short, or if no
    /// earlier version has known hints. Tooltips are empty unless `tooltips` is set.
    ///
    /// A label that ends in `?` instead of a blank is copied from an earlier version and may be wrong. An ellipsis in
    /// a label replaces a figure that is not yet computed. All other labels are those of [`Self::hints`], except for
    /// column widths.
    pub fn early_hints(&self, range: Range<usize>, tooltips: bool) -> Cancellable<Option<Vec<Hint>>> {
        self.snapshot.contributors(|all| hints::early_hints(all, &HintRequest { range, tooltips }))
    }

    /// Returns the hover at this offset. `None` if the token at the offset has no hover.
    pub fn hover(&self, offset: usize) -> Cancellable<Option<Hover>> {
        self.snapshot.contributors(|all| hover::hover(all, offset))
    }

    /// Returns the lenses: a line of facts per kernel and per innermost loop.
    pub fn lenses(&self) -> Cancellable<Vec<Lens>> {
        self.snapshot.contributors(lenses::lenses)
    }

    /// Returns the positions of [`Self::lenses`], for long listings that are only partly visible.
    pub fn lens_places(&self) -> Cancellable<Vec<LensLocation>> {
        self.snapshot.contributors(lenses::places)
    }

    /// Returns the lens at a position from [`Self::lens_places`]. `None` if no lens exists at the position.
    pub fn lens(&self, kernel: usize, of: LensSubject) -> Cancellable<Option<Lens>> {
        self.snapshot.contributors(|all| lenses::lens(all, kernel, of))
    }

    /// Simulates the launch of a lens in full and memoizes the predicted cycles. Returns true if the prediction is
    /// new, and false if it was already known or if the lens shows only an estimate. May take a few seconds.
    pub fn simulate(&self, kernel: usize, of: LensSubject) -> Cancellable<bool> {
        self.snapshot.contributors(|all| lenses::simulate(all, kernel, of))
    }

    /// Simulates all launches of the kernel at this offset, or of the nearest kernel, like
    /// [`Self::simulate`].
    pub fn simulate_at(&self, offset: usize) -> Cancellable<bool> {
        self.ask(|language| language.simulate_at(offset))
    }

    /// Returns the total number of launches in the launches file for the document's kernels, which is the number of
    /// simulations that all lenses need. Does not run the model.
    pub fn launches_stated(&self) -> usize {
        self.snapshot.answers(|language| language.launches_stated())
    }

    /// Returns the cycles that one warp takes from the first to the last instruction in the range. `None` if
    /// the range touches fewer than two instructions.
    pub fn selection_cycles(&self, range: Range<usize>) -> Cancellable<Option<SelectionCycles>> {
        self.ask(|language| language.selection_cycles(range))
    }

    /// Returns the kernel at this offset as data for graphical views. Outside of kernels, returns the nearest
    /// kernel.
    pub fn summary(&self, offset: usize) -> Cancellable<Option<Summary>> {
        self.ask(|language| language.summary(offset))
    }

    /// Returns the roofline for the launches of the kernel at this offset, or of the nearest kernel. `None`
    /// if no kernel or no launch is known.
    pub fn roofline(&self, offset: usize) -> Cancellable<Option<Roofline>> {
        self.ask(|language| language.roofline(offset, |_| quick()))
    }

    /// Returns the tokens that touch the range, in text order. Without a range, returns all tokens.
    pub fn semantic_tokens(&self, range: Option<Range<usize>>) -> Cancellable<Vec<SemanticToken>> {
        self.ask(|language| language.semantic_tokens(range))
    }

    /// Returns the kernels with their basic blocks and labels, in text order.
    pub fn symbols(&self) -> Cancellable<Vec<Symbol>> {
        self.ask(|language| language.symbols())
    }

    /// Returns the line ranges that can be folded: kernels, sections, comments.
    pub fn folds(&self) -> Cancellable<Vec<Fold>> {
        self.ask(|language| language.folds())
    }

    /// Returns the selectable ranges around an offset, from the token to the kernel. Each range contains the
    /// previous range.
    pub fn selections(&self, offset: usize) -> Cancellable<Vec<Range<usize>>> {
        self.ask(|language| Ok(language.selections(offset)))
    }

    /// Returns the references to source lines in the listing's comments, in text order.
    pub fn source_links(&self) -> Cancellable<Vec<SourceLink>> {
        self.ask(|language| language.source_links())
    }

    /// Returns the range of the token at this offset, and its definitions: the line of a label, the reaching
    /// definitions of a register, or the instructions that set the scoreboard. `None` if the token has no
    /// definition.
    pub fn definitions(&self, offset: usize) -> Cancellable<Option<(Range<usize>, Vec<NavigationTarget>)>> {
        self.ask(|language| Ok(language.definitions(offset)))
    }

    /// Returns all references to the value, label, function or scoreboard at this offset, in text order.
    pub fn references(&self, offset: usize) -> Cancellable<Vec<Reference>> {
        self.ask(|language| language.references(offset))
    }

    /// Returns the kernels and functions whose name contains the letters of `query` in order, best match
    /// first.
    pub fn find_symbols(&self, query: &str) -> Cancellable<Vec<FoundSymbol>> {
        Ok(search::find(self.named_functions()?, query))
    }

    /// Returns all kernels and functions in text order, as owned data that may outlive the text.
    pub fn named_functions(&self) -> Cancellable<Vec<NamedFunction>> {
        self.ask(|language| language.named_functions())
    }

    /// Returns the function named at this offset. If no name is at the offset, returns the function that
    /// contains the offset.
    pub fn call_item(&self, offset: usize) -> Cancellable<Option<CallItem>> {
        self.ask(|language| Ok(language.call_item(offset)))
    }

    /// Returns the call sites of the function whose name is at this offset.
    pub fn incoming_calls(&self, selection: usize) -> Cancellable<Vec<CallSite>> {
        self.ask(|language| language.incoming_calls(selection))
    }

    /// Returns the calls that the function whose name is at this offset makes to functions in the listing.
    pub fn outgoing_calls(&self, selection: usize) -> Cancellable<Vec<CallSite>> {
        self.ask(|language| Ok(language.outgoing_calls(selection)))
    }

    /// Returns the completions at an offset. `None` if nothing can be proposed: in comments and encodings,
    /// after an instruction, in regions of another language, and if completion is switched off.
    pub fn completions(&self, offset: usize) -> Cancellable<Option<Completions>> {
        let is_on = self.snapshot.context.config.completion;
        self.ask(|language| Ok(if is_on { language.completions(offset) } else { None }))
    }

    /// Returns the Markdown page of a proposed item. For a modifier, `opcode` is the opcode that the modifier
    /// belongs to. `None` if the item has no page.
    pub fn completion_page(
        &self,
        kind: CompletionKind,
        label: &str,
        opcode: &str,
    ) -> Cancellable<Option<String>> {
        self.ask(|language| Ok(language.completion_page(kind, label, opcode)))
    }

    /// Returns the signature of the instruction whose operands are at this offset. `None` outside of
    /// operands, for an opcode that the architecture lacks, after the last operand, and if signature help is
    /// switched off.
    pub fn signature(&self, offset: usize) -> Cancellable<Option<Signature>> {
        let is_on = self.snapshot.context.config.signature_help;
        self.ask(|language| Ok(if is_on { language.signature(offset) } else { None }))
    }

    /// Returns the range of the name at this offset, or the reason why the name cannot be changed.
    pub fn rename_range(&self, offset: usize) -> Cancellable<Result<Range<usize>, Refusal>> {
        self.ask(|language| Ok(language.rename_range(offset)))
    }

    /// Returns the edits that rename the symbol at this offset everywhere, in text order. For a register, the
    /// edits move its value to another register.
    pub fn rename(&self, offset: usize, new: &str) -> Cancellable<Result<Vec<TextEdit>, Refusal>> {
        self.ask(|language| language.rename(offset, new))
    }

    /// Returns the edits that align control codes, predicates, opcodes, operands and comments, in text order.
    /// Covers the lines in the range, or all lines for `None`. Consecutive instruction lines are aligned
    /// together, even if the range covers only some of them.
    ///
    /// Empty for a SASS listing, and if formatting is switched off. Lines are skipped if they cannot be
    /// parsed, print encodings or mark a dual-issued pair.
    pub fn format(&self, range: Option<Range<usize>>) -> Cancellable<Vec<TextEdit>> {
        let is_on = self.snapshot.context.config.formatting;
        self.ask(|language| if is_on { language.format(range) } else { Ok(Vec::new()) })
    }

    /// Returns the recommended edits that can be applied at this offset, evaluated at the kernel's first
    /// launch. `asked` is true if the user requested the actions explicitly and waits for them.
    pub fn advice_actions(&self, offset: usize, asked: bool) -> Cancellable<Vec<AdviceAction>> {
        self.ask(|language| language.advice_actions(offset, asked))
    }

    /// Returns the scheduling actions at this offset. Empty unless an instruction with a control code is at
    /// the offset. `asked` is true if the user requested the actions explicitly and waits for them.
    ///
    /// Only reordering and register renaming are computed for this answer. They are offered if they are predicted to
    /// save cycles; their titles then state the cycles before and after. Renaming is also offered if its cycles are
    /// unknown.
    pub fn schedule_actions(&self, offset: usize, asked: bool) -> Cancellable<Vec<ScheduleAction>> {
        self.ask(|language| language.schedule_actions(offset, asked))
    }

    /// Returns the edits of a scheduling action at this offset, or a one-line reason why no edit is possible.
    /// `None` if no instruction is at the offset.
    pub fn schedule_edits(
        &self,
        offset: usize,
        scope: ScheduleScope,
    ) -> Cancellable<Option<Result<Vec<TextEdit>, NotScheduled>>> {
        self.ask(|language| language.schedule_edits(offset, scope))
    }

    /// Returns the assemblers in whose syntax the instructions at this offset can be copied. Empty outside of
    /// kernels.
    pub fn assemblers(&self, offset: usize) -> Cancellable<Vec<Assembler>> {
        self.ask(|language| Ok(language.assemblers(offset)))
    }

    /// Returns the instructions and labels on the lines that a range touches, in the syntax of an assembler. An empty
    /// range selects the whole kernel. `Err` if the syntax cannot express an instruction.
    pub fn copy_as(
        &self,
        range: Range<usize>,
        assembler: Assembler,
    ) -> Cancellable<Result<CopiedInstructions, Refusal>> {
        self.ask(|language| Ok(language.copy_as(range, assembler)))
    }

    /// Returns the kernels that `warplens.toml` tunes, each with all its problem shapes, in text order.
    /// Neither compiles nor simulates.
    pub fn tuned_kernels(&self) -> Cancellable<Vec<TunedKernel>> {
        self.snapshot.answers(|language| language.tuned_kernels())
    }

    /// Plans the tuning of a kernel for one problem shape, with at most `most` variants to compile. `Err` if
    /// there is nothing to compile.
    pub fn plan_tuning(
        &self,
        kernel: &str,
        shape: &Shape,
        most: usize,
    ) -> Cancellable<Result<TuningPlan, TuningError>> {
        self.snapshot.answers(|language| language.plan_tuning(kernel, shape, most))
    }

    /// Predicts the launch of a variant, given the code compiled from the variant's source.
    pub fn predict_variant(
        &self,
        kernel: &str,
        variant: &PlannedVariant,
        compiled: &Compiled,
    ) -> Cancellable<VariantPrediction> {
        let Snapshot { context, cancel, .. } = &self.snapshot;
        cancel.ending(|| predicted(compiled, context, cancel, kernel, variant))
    }

    /// Ranks the configurations of a Triton kernel for a problem shape by the static model, which takes a few
    /// milliseconds. `None` if the document is not Python. `Err` if there is nothing to rank.
    pub fn rank_configurations(
        &self,
        kernel: &str,
        shape: &Shape,
    ) -> Option<Cancellable<Result<TuningOutcome, TritonError>>> {
        self.snapshot.answers(|language| language.rank_configurations(kernel, shape))
    }

    /// Returns the edits to offer for a Triton kernel's list of configurations.
    pub fn kept_configurations(&self, kernel: &str) -> Cancellable<Vec<KeptConfigurations>> {
        self.snapshot.answers(|language| language.kept_configurations(kernel))
    }

    /// True if the document is Python, which may contain Triton kernels, and the settings do not reserve
    /// Python for another server.
    pub fn is_python(&self) -> bool {
        self.snapshot.python().is_some()
    }

    fn ask<T>(&self, ask: impl FnOnce(&dyn Answers) -> Cancellable<T>) -> Cancellable<T> {
        self.snapshot.ask(ask)
    }
}
