//! Everything that can be asked of a document, at one version.

use crate::answers::snapshot::{Answers, Snapshot};
use crate::answers::{findings, fixes, gpus, heat, hints, hover, lenses};
use crate::compiled::compare::{Comparison, compare};
use crate::compiled::gain;
use crate::cuda::kernels::found_launches;
use crate::cuda::report::{TextReport, report};
use crate::cuda::view::CudaView;
use crate::engine::cancel::Cancellable;
use crate::engine::code::{CodePart, Compiled, CompiledFrom, ListedCode};
use crate::engine::sass_view::SassView;
use crate::engine::stated::Given;
use crate::engine::target::Target;
use crate::kernels::hints::Asked;
use crate::kernels::predict::Roofline;
use crate::kernels::predict::effort::quick;
use crate::kernels::search;
use crate::measured::fixes::Followed;
use crate::measured::view::ProfileView;
use crate::ptx::{LineMap, PtxSource, cost};
use crate::sass::repairs::is_repaired;
use crate::tune::outcome::predicted;
use crate::{
    AdviceAction, Assembler, CallItem, CallSite, CompletionKind, Completions, Copied, Diagnostic, Fix, Fold,
    FoundSymbol, GpuRow, HeatMap, Hint, Hover, KeptConfigurations, Language, LaunchEntry, Lens, LensOf,
    LensPlace, ModelChoice, NamedFunction, NavigationTarget, NotScheduled, OccupancyCurves, PlannedVariant,
    Reference, Refusal, Relations, ScheduleAction, ScheduleScope, SelectionCycles, SemanticToken, Shape,
    Signature, SourceLink, StatedBuild, StatedLaunch, StatedTrips, Summary, Symbol, TextEdit, TunedKernel,
    TuningOutcome, TuningPlan, VariantPrediction,
};
use advisor::top_down::is_guide;
use model::ModelName;
use std::ops::Range;
use std::sync::Arc;

/// An immutable view of one document. Cheap to clone; may be used on any thread.
///
/// What a language alone answers is asked by `questions/`; what compiled code and profiles add to is merged in `answers/`. A
/// document that is too large to be read answers with nothing, and so does one in a language of another server that the
/// settings leave alone.
#[derive(Debug, Clone)]
pub struct Analysis {
    pub(crate) snapshot: Snapshot,
}

impl Analysis {
    /// The version that every answer of this snapshot belongs to.
    pub fn version(&self) -> i32 {
        self.snapshot.document.version
    }

    /// The language that the text is read as.
    pub fn language(&self) -> Language {
        self.snapshot.document.language()
    }

    /// Returns the listing, where the document is SASS: what the command line asks of kernels is asked of it.
    pub fn sass(&self) -> Option<SassView> {
        self.snapshot.sass()
    }

    /// Returns the SASS that all functions of a PTX document are estimated to become: what it answers it says of the
    /// document's lines. `None` where the document is not PTX.
    pub fn lowered(&self) -> Option<SassView> {
        Some(cost::lowered(&self.snapshot.ptx()?))
    }

    /// Returns the text that ptxas would be given. `None` where the document is not PTX.
    pub fn ptx_source(&self) -> Option<PtxSource> {
        Some(PtxSource::new(self.snapshot.ptx()?.module))
    }

    /// Reads the listing of code that was compiled of this document, with its cubin, for [`crate::Host::attach`]. Takes as long
    /// as opening the listing.
    pub fn read_code(&self, listing: &str, cubin: &[u8], from: CompiledFrom) -> Compiled {
        match self.ptx_source() {
            Some(source) => {
                let map = LineMap::build(&source, cubin, listing);
                Compiled::of_ptx(&self.snapshot.context.machine, listing, cubin, &map, from)
            }
            None => Compiled::read(&self.snapshot.context.machine, listing, cubin, from),
        }
    }

    /// Returns the report on the kernels of a CUDA text; `None` for any other document.
    pub fn text_report(&self) -> Cancellable<Option<TextReport>> {
        self.snapshot.cuda(|view| self.snapshot.cancel.ending(|| report(view))).transpose()
    }

    /// Compares the code of an earlier version of this document with the code of this one. `None` where the code of either is not
    /// known, or not of its text.
    pub fn compare(&self, earlier: &Self) -> Cancellable<Option<Comparison>> {
        let (Some(before), Some(after)) = (earlier.snapshot.code(), self.snapshot.code()) else {
            return Ok(None);
        };
        if before.is_stale() || after.is_stale() {
            return Ok(None);
        }
        compare(&before, &after).map(Some)
    }

    /// True where the compiled code of the document is known and of its text as it is.
    pub fn has_its_code(&self) -> bool {
        self.snapshot.code().is_some_and(|code| !code.is_stale())
    }

    /// The same document with edits made, which are in its order and apart.
    #[must_use]
    pub fn with_edits(&self, edits: &[TextEdit]) -> Self {
        // From the last on, so that the places of the others hold.
        let edits: Vec<TextEdit> = edits.iter().rev().cloned().collect();
        let document = self.snapshot.document.edited(self.version(), &edits);
        Self { snapshot: Snapshot { document, ..self.snapshot.clone() } }
    }

    /// Says what the code that was compiled of this document makes better or worse than the code of an earlier one, in a few words:
    /// `12 % fewer cycles, 40 -> 32 registers`. `None` where the earlier one's code is not known, or not of its text.
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

    /// Reads what a build has left of this document's text, cubin by cubin, in the same way.
    pub fn read_left_code(&self, parts: &[CodePart], from: CompiledFrom) -> Compiled {
        Compiled::read_left(&self.snapshot.context.machine, parts, from)
    }

    /// The architecture that a CUDA unit is compiled for if its build states none, whether the user asked for it, and
    /// the build settings of the launches file.
    pub fn build(&self) -> (u16, bool, StatedBuild) {
        let wish = &self.snapshot.context.wish;
        let sm = Target::for_module(&self.snapshot.context.machine, wish, None).isa_sm;
        let stated =
            self.snapshot.context.launches.as_ref().map(|file| file.compile.clone()).unwrap_or_default();
        (sm, wish.gpu.is_some(), stated)
    }

    /// The launches in host code of kernels that are named as compiled code names them; none of those that a launches file states.
    pub fn found_launches(&self, kernels: &[&str]) -> Vec<LaunchEntry> {
        let all =
            |view: &CudaView<'_>| kernels.iter().flat_map(|kernel| found_launches(view, kernel)).collect();
        self.snapshot.cuda(all).unwrap_or_default()
    }

    /// Facts about code that was compiled of this document, for [`crate::Host::set_code`] of its listing: besides the code's own, the
    /// launches and the names of parameters that this document has. Reads the host code of the document.
    pub fn listed(&self, compiled: &Compiled) -> ListedCode {
        let source = Arc::new(self.snapshot.source_facts(compiled));
        ListedCode(Given { source, ..compiled.0.given_of_view() })
    }

    /// The GPU that numbers are for, and why it, for the status line: `H100 SXM5 (assumed: the file names sm_90)`.
    /// Of the first kernel, where a file has code for several.
    pub fn gpu_name(&self) -> String {
        self.snapshot.answers(|language| language.gpu_name())
    }

    /// The model of the cycles, for the status line: `pipeline` where the GPU is calibrated and the settings let it, else `paper`.
    pub fn model_name(&self) -> &'static str {
        let sm = self.snapshot.answers(|language| language.current_sm());
        let is_calibrated = self.snapshot.context.machine.gpu_for_sm(sm).arch.pipeline.is_some();
        let is_wanted = self.snapshot.context.config.model != ModelChoice::Paper;
        if is_calibrated && is_wanted { ModelName::Pipeline.name() } else { ModelName::Paper.name() }
    }

    /// Computes what hints and hovers of any kernel will ask for, so that they find it in the memo.
    pub fn prepare(&self) -> Cancellable<()> {
        self.ask(|language| language.prepare())
    }

    /// Returns the findings of the parser; quick.
    pub fn syntax_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        self.ask(|language| language.syntax_diagnostics())
    }

    /// The part of [`Self::model_diagnostics`] that needs no launch: what is wrong with control codes, and all that rules find
    /// in PTX by its text. Quick for kernels that were looked at before.
    pub fn code_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        self.ask(|language| language.code_diagnostics())
    }

    /// Returns the findings that need the model; those of [`Self::syntax_diagnostics`] are not included.
    pub fn model_diagnostics(&self) -> Cancellable<Vec<Diagnostic>> {
        self.snapshot.contributors(findings::findings)
    }

    /// Returns the fixes for a finding of a rule at a place, the best first.
    pub fn fixes(&self, rule: &str, range: Range<usize>) -> Cancellable<Vec<Fix>> {
        self.ask(|language| language.fixes(rule, range))
    }

    /// Whether a rule's findings are about the control codes of SASS, which can be computed anew.
    pub fn is_of_control_codes(&self, rule: &str) -> bool {
        self.language() == Language::Sass && is_repaired(rule)
    }

    /// Returns the changes that follow an advice from what was measured, by its code and the place of its finding; `None` where no
    /// profile gives such an advice there.
    pub fn measured_fixes(&self, code: &str, range: Range<usize>) -> Cancellable<Option<Followed>> {
        fixes::measured_fixes(&self.snapshot, code, &range)
    }

    /// Whether a code is that of a guide, whose findings are advice from what was measured.
    pub fn is_advice(&self, code: &str) -> bool {
        is_guide(code)
    }

    /// Whether the launch file of the document's folder names a program that builds and runs what is measured.
    pub fn runs(&self) -> bool {
        self.snapshot.context.launches.as_ref().is_some_and(|file| !file.run.command.is_empty())
    }

    /// Returns the launch to propose for `warplens.toml` for the kernel whose name is on the line of a place; `None` if
    /// one is stated already.
    pub fn launch_to_state(&self, offset: usize) -> Cancellable<Option<StatedLaunch>> {
        self.ask(|language| Ok(language.launch_to_state(offset)))
    }

    /// Returns the trip count to propose for `warplens.toml` for the loop whose last branch has a rule's finding.
    ///
    /// `None` for the findings of other rules, and if no branch with an address leads back.
    pub fn trips_to_state(&self, rule: &str, offset: usize) -> Cancellable<Option<StatedTrips>> {
        self.ask(|language| Ok(language.trips_to_state(rule, offset)))
    }

    /// Hints whose place is in the range, in text order.
    pub fn hints(&self, range: Range<usize>) -> Cancellable<Vec<Hint>> {
        self.hints_asked(&Asked { range, tooltips: true })
    }

    /// The same hints with empty tooltips, in less time.
    pub fn hint_labels(&self, range: Range<usize>) -> Cancellable<Vec<Hint>> {
        self.hints_asked(&Asked { range, tooltips: false })
    }

    fn hints_asked(&self, asked: &Asked) -> Cancellable<Vec<Hint>> {
        self.snapshot.contributors(|all| hints::hints(all, asked))
    }

    /// The lines of the document that take most of the time: by the samples of an attached profile, else as predicted of the
    /// kernels that touch the range. `None` where neither says anything.
    pub fn heat(&self, range: &Range<usize>) -> Cancellable<Option<HeatMap>> {
        self.snapshot.contributors(|all| heat::heat(all, range, &self.snapshot.cancel))
    }

    /// The instructions that write what the one at a place reads, those that read what it writes, and the live ranges
    /// of its registers. `None` if no instruction is there.
    pub fn relations(&self, offset: usize) -> Cancellable<Option<Relations>> {
        self.ask(|language| language.relations(offset))
    }

    /// The occupancy of the kernel at a place, or of the nearest, over its resources; `None` where there is no kernel.
    pub fn occupancy_curves(&self, offset: usize) -> Cancellable<Option<OccupancyCurves>> {
        self.ask(|language| language.occupancy_curves(offset))
    }

    /// The first launch of the kernel at a place on each GPU that runs its code, the current one first; none where there is no
    /// kernel.
    pub fn on_gpus(&self, offset: usize) -> Cancellable<Vec<GpuRow>> {
        gpus::on_gpus(&self.snapshot, offset)
    }

    /// The bytes of the instruction or source line at an address of a profiled kernel, given the kernel's name in the
    /// profile. `None` if the document does not contain it.
    pub fn profiled_place(&self, kernel: &str, address: u64) -> Cancellable<Option<Range<usize>>> {
        self.snapshot
            .contributors(|all| all.profile().map_or(Ok(None), |profile| profile.place(kernel, address)))
    }

    /// How many kernels of the document were measured by an attached profile, and how many it has. `None` where it has no code, and
    /// without profiles.
    pub fn measured_kernels(&self) -> Cancellable<Option<(usize, usize)>> {
        self.snapshot.contributors(|all| Ok(all.profile().and_then(ProfileView::measured_kernels)))
    }

    /// Hints to show until [`Self::hints`] has been asked for, where those take long and an earlier version's are known. `None`
    /// where there is nothing to wait for, or nothing to show meanwhile. `tooltips`: otherwise they are empty.
    ///
    /// A label that ends in `?` instead of a blank is carried over from an earlier version and may be wrong; `…` is a
    /// figure that is not known yet. All other labels are those of [`Self::hints`], except for the width of columns.
    pub fn early_hints(&self, range: Range<usize>, tooltips: bool) -> Cancellable<Option<Vec<Hint>>> {
        self.snapshot.contributors(|all| hints::early_hints(all, &Asked { range, tooltips }))
    }

    /// Returns the meaning of the text at this place; `None` where there is nothing to say.
    pub fn hover(&self, offset: usize) -> Cancellable<Option<Hover>> {
        self.snapshot.contributors(|all| hover::hover(all, offset))
    }

    /// One line of facts over each kernel and each innermost loop.
    pub fn lenses(&self) -> Cancellable<Vec<Lens>> {
        self.snapshot.contributors(lenses::lenses)
    }

    /// Returns the places of [`Self::lenses`], for long listings of which only a part is looked at.
    pub fn lens_places(&self) -> Cancellable<Vec<LensPlace>> {
        self.snapshot.contributors(lenses::places)
    }

    /// Returns the lens at such a place; `None` if the place has no lens.
    pub fn lens(&self, kernel: usize, of: LensOf) -> Cancellable<Option<Lens>> {
        self.snapshot.contributors(|all| lenses::lens(all, kernel, of))
    }

    /// Simulates the launch of a lens in full, so that every view finds its figure. Returns whether that is new: not where it was known, and
    /// not where an editor leaves it at the quick figure. Takes up to some seconds.
    pub fn simulate(&self, kernel: usize, of: LensOf) -> Cancellable<bool> {
        self.snapshot.contributors(|all| lenses::simulate(all, kernel, of))
    }

    /// Does the same with all launches of the kernel at a place, or of the nearest.
    pub fn simulate_at(&self, offset: usize) -> Cancellable<bool> {
        self.ask(|language| language.simulate_at(offset))
    }

    /// Number of stated launches of all kernels; needs no model. The lens of each takes a simulation.
    pub fn launches_stated(&self) -> usize {
        self.snapshot.answers(|language| language.launches_stated())
    }

    /// The cycles from the first to the last instruction that the range touches, for one warp; `None` where it touches
    /// fewer than two.
    pub fn selection_cycles(&self, range: Range<usize>) -> Cancellable<Option<SelectionCycles>> {
        self.ask(|language| language.selection_cycles(range))
    }

    /// The kernel at this place as data, for views that draw it; outside of kernels, the nearest one.
    pub fn summary(&self, offset: usize) -> Cancellable<Option<Summary>> {
        self.ask(|language| language.summary(offset))
    }

    /// The launches of the kernel at this place, or of the nearest; `None` where there is no kernel.
    pub fn roofline(&self, offset: usize) -> Cancellable<Option<Roofline>> {
        self.ask(|language| language.roofline(offset, |_| quick()))
    }

    /// Tokens that touch the range, in text order; the whole text for `None`.
    pub fn semantic_tokens(&self, range: Option<Range<usize>>) -> Cancellable<Vec<SemanticToken>> {
        self.ask(|language| language.semantic_tokens(range))
    }

    /// Kernels with their blocks and labels, in text order.
    pub fn symbols(&self) -> Cancellable<Vec<Symbol>> {
        self.ask(|language| language.symbols())
    }

    /// Returns the lines that can be folded: kernels, sections, comments.
    pub fn folds(&self) -> Cancellable<Vec<Fold>> {
        self.ask(|language| language.folds())
    }

    /// Returns the ranges that can be selected around a place, from its token to its kernel; each holds the one before.
    pub fn selections(&self, offset: usize) -> Cancellable<Vec<Range<usize>>> {
        self.ask(|language| Ok(language.selections(offset)))
    }

    /// The places in source files that the listing names, in text order.
    pub fn source_links(&self) -> Cancellable<Vec<SourceLink>> {
        self.ask(|language| language.source_links())
    }

    /// Finds the definitions of the thing at this place: a label's line, the writes that reach a register's use, who
    /// sets the scoreboard that is waited for. The first is the range of the place itself. `None` where nothing is.
    pub fn definitions(&self, offset: usize) -> Cancellable<Option<(Range<usize>, Vec<NavigationTarget>)>> {
        self.ask(|language| Ok(language.definitions(offset)))
    }

    /// All places that speak of the same value, label, function or scoreboard, in text order.
    pub fn references(&self, offset: usize) -> Cancellable<Vec<Reference>> {
        self.ask(|language| language.references(offset))
    }

    /// Kernels and functions whose name has these letters in this order; the best first.
    pub fn find_symbols(&self, query: &str) -> Cancellable<Vec<FoundSymbol>> {
        Ok(search::find(self.named_functions()?, query))
    }

    /// All kernels and functions, in text order, for a search that outlives the text.
    pub fn named_functions(&self) -> Cancellable<Vec<NamedFunction>> {
        self.ask(|language| language.named_functions())
    }

    /// The function at a place: the one that is named there, or else the one that contains the place.
    pub fn call_item(&self, offset: usize) -> Cancellable<Option<CallItem>> {
        self.ask(|language| Ok(language.call_item(offset)))
    }

    /// The callers of the function whose name is at this place.
    pub fn incoming_calls(&self, selection: usize) -> Cancellable<Vec<CallSite>> {
        self.ask(|language| language.incoming_calls(selection))
    }

    /// The functions called by the one whose name is at this place, as far as the listing contains them.
    pub fn outgoing_calls(&self, selection: usize) -> Cancellable<Vec<CallSite>> {
        self.ask(|language| Ok(language.outgoing_calls(selection)))
    }

    /// Returns the proposals for a place. `None` if there is nothing to propose: in comments and encodings, after an
    /// instruction, in blocks of another language, and if the setting is off.
    pub fn completions(&self, offset: usize) -> Cancellable<Option<Completions>> {
        let is_on = self.snapshot.context.config.completion;
        self.ask(|language| Ok(if is_on { language.completions(offset) } else { None }))
    }

    /// Returns the page of a proposed item, in Markdown; `opcode` is that of a modifier. `None` where there is nothing
    /// to say.
    pub fn completion_page(
        &self,
        kind: CompletionKind,
        label: &str,
        opcode: &str,
    ) -> Cancellable<Option<String>> {
        self.ask(|language| Ok(language.completion_page(kind, label, opcode)))
    }

    /// The signature of the instruction whose operands are at a place. `None` elsewhere, for an opcode that the
    /// architecture lacks, after the last operand, and if the setting is off.
    pub fn signature(&self, offset: usize) -> Cancellable<Option<Signature>> {
        let is_on = self.snapshot.context.config.signature_help;
        self.ask(|language| Ok(if is_on { language.signature(offset) } else { None }))
    }

    /// The bytes of the name at a place, if it can be renamed.
    pub fn rename_range(&self, offset: usize) -> Cancellable<Result<Range<usize>, Refusal>> {
        self.ask(|language| Ok(language.rename_range(offset)))
    }

    /// The edits that give the thing at a place another name everywhere, in text order; to a register, those that move its
    /// value to another one.
    pub fn rename(&self, offset: usize, new: &str) -> Cancellable<Result<Vec<TextEdit>, Refusal>> {
        self.ask(|language| language.rename(offset, new))
    }

    /// The edits that align control codes, predicates, opcodes, operands and comments of the lines in the range (all for
    /// `None`), in text order. A block of instructions without a gap is aligned as one, whatever part of it is asked for.
    ///
    /// None for a listing of SASS, and where the setting is off. Lines that cannot be read, that print encodings or that mark a
    /// dual-issued pair are left as they are.
    pub fn format(&self, range: Option<Range<usize>>) -> Cancellable<Vec<TextEdit>> {
        let is_on = self.snapshot.context.config.formatting;
        self.ask(|language| if is_on { language.format(range) } else { Ok(Vec::new()) })
    }

    /// The advice that can be applied at this place, at the kernel's first launch. `asked`: the user waits for it.
    pub fn advice_actions(&self, offset: usize, asked: bool) -> Cancellable<Vec<AdviceAction>> {
        self.ask(|language| language.advice_actions(offset, asked))
    }

    /// Returns the actions for this place; empty without an instruction with a control code. `asked`: the user waits
    /// for the answer.
    ///
    /// Only reordering and register renaming are computed for the answer: they are offered if they gain, and say how
    /// much.
    pub fn schedule_actions(&self, offset: usize, asked: bool) -> Cancellable<Vec<ScheduleAction>> {
        self.ask(|language| language.schedule_actions(offset, asked))
    }

    /// The edits of an action at this place, or in one line why it has no edits. `None` if no instruction is there.
    pub fn schedule_edits(
        &self,
        offset: usize,
        scope: ScheduleScope,
    ) -> Cancellable<Option<Result<Vec<TextEdit>, NotScheduled>>> {
        self.ask(|language| language.schedule_edits(offset, scope))
    }

    /// The assemblers that instructions at a place can be copied for; empty outside of kernels.
    pub fn assemblers(&self, offset: usize) -> Cancellable<Vec<Assembler>> {
        self.ask(|language| Ok(language.assemblers(offset)))
    }

    /// The instructions and labels on the lines that a range touches, in an assembler's notation; of an empty range those
    /// of its kernel. Refused where they cannot be said there.
    pub fn copy_as(&self, range: Range<usize>, assembler: Assembler) -> Cancellable<Result<Copied, Refusal>> {
        self.ask(|language| Ok(language.copy_as(range, assembler)))
    }

    /// The kernels that `warplens.toml` tunes, each with each of its shapes, in the order of the text. Nothing is compiled or
    /// simulated.
    pub fn tuned_kernels(&self) -> Cancellable<Vec<TunedKernel>> {
        self.snapshot.answers(|language| language.tuned_kernels())
    }

    /// Plans the tuning of a kernel for one of its shapes, with at most `most` variants to compile. `Err`, in one line,
    /// if there is nothing to compile.
    pub fn plan_tuning(
        &self,
        kernel: &str,
        shape: &Shape,
        most: usize,
    ) -> Cancellable<Result<TuningPlan, String>> {
        self.snapshot.answers(|language| language.plan_tuning(kernel, shape, most))
    }

    /// Predicts the launch of a variant by the code that was compiled of its text.
    pub fn predict_variant(
        &self,
        kernel: &str,
        variant: &PlannedVariant,
        compiled: &Compiled,
    ) -> Cancellable<VariantPrediction> {
        let Snapshot { context, cancel, .. } = &self.snapshot;
        cancel.ending(|| predicted(compiled, context, cancel, kernel, variant))
    }

    /// Ranks the configurations of a Triton kernel for a shape by the static model, whose work is done in milliseconds. `None` where the text
    /// is no Python; `Err`, in one line, where there is nothing to rank.
    pub fn rank_configurations(
        &self,
        kernel: &str,
        shape: &Shape,
    ) -> Option<Cancellable<Result<TuningOutcome, String>>> {
        self.snapshot.answers(|language| language.rank_configurations(kernel, shape))
    }

    /// The edits of a Triton kernel's list of configurations that are worth offering.
    pub fn kept_configurations(&self, kernel: &str) -> Cancellable<Vec<KeptConfigurations>> {
        self.snapshot.answers(|language| language.kept_configurations(kernel))
    }

    /// Whether the document is Python, which may contain Triton kernels, and is not left alone.
    pub fn is_python(&self) -> bool {
        self.snapshot.python().is_some()
    }

    fn ask<T>(&self, ask: impl FnOnce(&dyn Answers) -> Cancellable<T>) -> Cancellable<T> {
        self.snapshot.ask(ask)
    }
}
