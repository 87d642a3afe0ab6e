//! Inlay hints per instruction: control code, latency, issue cycle, live registers and dual-issue
//! partner.

use crate::engine::cancel::Cancellable;
use crate::engine::issue_simulation::{Issues, meaning};
use crate::engine::kernel_view::KernelView;
use crate::engine::sass_view::SassView;
use crate::engine::target::model_on;
use crate::words::cycle_words::{estimated, in_cycles, is_estimate, latency_in_words};
use crate::words::{control_words, live};
use crate::{Hint, HintKind, ModelChoice};
use model::{LatencyNote, ModelName, Register};
use std::ops::Range;
use syntax::sass::{Chunk, Control, Notation, TokenKind};

/// A request for hints.
#[derive(Debug, Clone)]
pub(crate) struct HintRequest {
    /// Range of the text for which hints are requested. The end offset is included.
    pub range: Range<usize>,
    /// True if tooltips are filled in; otherwise they are empty.
    pub tooltips: bool,
}

pub(crate) fn hints(sass: &SassView, asked: &HintRequest) -> Cancellable<Vec<Hint>> {
    let mut hints = Vec::new();
    for index in sass.chunks_in(&asked.range) {
        sass.cancel.check()?;
        of_chunk(sass, index, asked, &mut hints);
    }
    Ok(hints)
}

/// True if any hint is switched on.
pub(crate) fn are_wanted(sass: &SassView) -> bool {
    let kinds = sass.context.config.hints;
    let has_picture = kinds.control_code.notation().is_some();
    has_picture || kinds.latency || kinds.issue_cycle || kinds.dual_issue || kinds.live_registers
}

/// Adds the hints of one chunk, in text order.
pub(crate) fn of_chunk(sass: &SassView, index: usize, asked: &HintRequest, hints: &mut Vec<Hint>) {
    let chunk = &sass.listing().chunks()[index];
    if chunk.instructions().is_empty() || !are_wanted(sass) {
        return;
    }
    let kinds = sass.context.config.hints;
    let range = &asked.range;
    let insts = sass.instructions_in(index, range);
    let kernel = sass.kernel(index);
    let issues = if kinds.issue_cycle { kernel.issues() } else { None };
    let picture = kinds.control_code.notation().filter(|&notation| is_worth_picturing(chunk, notation));
    let names_live = kinds.live_registers && asked.tooltips;
    let live_in = || kernel.model.liveness().live_in(kernel.program(), insts.clone());
    let live = if names_live { live_in() } else { Vec::new() };
    let gpu = kernel.target.describe();
    let shown = HintedKernel { kernel: &kernel, issues, gpu, tooltips: asked.tooltips };
    let has_cycles = issues.is_some() || sass.context.config.model != ModelChoice::Pipeline;
    let mut live = live.into_iter();
    for inst in insts {
        let mut own = Vec::with_capacity(5);
        own.extend(picture.map(|notation| shown.control_code(inst, notation)));
        if kinds.latency {
            own.push(shown.latency(inst));
        }
        if kinds.issue_cycle && has_cycles {
            own.push(shown.issue_cycle(inst));
        }
        if kinds.live_registers {
            own.push(shown.live_registers(inst, &live.next().unwrap_or_default()));
        }
        if kinds.dual_issue {
            own.extend(shown.dual_issue(inst));
        }
        // The offset of a hint can be outside the range although the line of the hint touches the
        // range.
        own.retain(|hint| range.contains(&hint.offset) || hint.offset == range.end);
        hints.append(&mut own);
    }
}

/// A kernel whose hints are being built.
struct HintedKernel<'a> {
    kernel: &'a KernelView<'a>,
    /// Issue cycles by the `pipeline` model; `None` if the model does not apply.
    issues: Option<&'a Issues>,
    gpu: String,
    /// True if tooltips are filled in; otherwise they are empty.
    tooltips: bool,
}

impl HintedKernel<'_> {
    /// Returns a hint in the column before an instruction.
    fn hint(&self, inst: usize, kind: HintKind, label: String, tooltip: impl FnOnce() -> String) -> Hint {
        let KernelView { sass, index, chunk, .. } = *self.kernel;
        Hint { offset: gutter(chunk, sass.start(index), inst), kind, label, tooltip: self.shown(tooltip) }
    }

    fn control_code(&self, inst: usize, notation: Notation) -> Hint {
        let control = self.kernel.text(inst).control;
        let notation =
            first_control(self.kernel.chunk).map_or(notation, |control| shown_in(&control, notation));
        let picture = control.and_then(|control| notation.print(&control)).unwrap_or_default();
        let said = || {
            let Some(control) = control else {
                return "**No control code**: the text has no control code for this instruction.".to_owned();
            };
            let waits = control_words::waits_in_words(self.kernel, inst);
            format!("**Control code**: {}.\n{waits}", control_words::in_words(&control))
        };
        let width =
            if notation == Notation::CuAssembler { "B------:R-:W-:-:S00".len() } else { "--:-:-:-:0".len() };
        self.hint(inst, HintKind::ControlCode, format!(" {picture:width$} "), || {
            let (said, name) = (said(), notation.name());
            format!("{said}\nIn the notation of {name}.\n\n*warplens; hide with* `hints.controlCode`")
        })
    }

    fn latency(&self, inst: usize) -> Hint {
        let note = self.kernel.latency_note(inst);
        let latency = note.as_ref().map(|note| (mark_of(note), note.cycles));
        let label = latency_label(latency, self.kernel.model.latency_digits);
        self.hint(inst, HintKind::Latency, label, || {
            let Some(note) = note else {
                return self.tooltip(self.why_no_latency(inst), inst, PAPER, None, "latency");
            };
            let latency = latency_in_words(&note);
            let mut what =
                format!("**Latency {latency}**: from issue until a dependent instruction can issue.");
            let mut model = PAPER.to_owned();
            if self.kernel.has_warm_caches() {
                model = model_on(ModelName::Pipeline, &self.kernel.target);
            }
            if let Some(miss) = self.kernel.latency_of_miss(inst) {
                what.push_str(&of_miss(&miss));
            }
            self.tooltip(&what, inst, &model, Some(note.source.to_string()), "latency")
        })
    }

    fn why_no_latency(&self, inst: usize) -> &'static str {
        if self.kernel.program().instructions[inst].opcode.is_some() {
            "No latency: no instruction waits for its result."
        } else {
            "Latency unknown: the opcode is not in the table of this architecture."
        }
    }

    fn issue_cycle(&self, inst: usize) -> Hint {
        if let Some(issues) = self.issues {
            return self.simulated_cycle(issues, inst);
        }
        let cycle = self.kernel.model.times.instructions[inst].issue_cycle;
        let width = self.kernel.model.cycle_digits;
        self.hint(inst, HintKind::IssueCycle, format!("@{cycle:>width$} "), || {
            let what = format!(
                "**Predicted to issue at cycle {cycle}** of its basic block, for a single warp with empty pipelines. \
                 Estimated: the model takes dependences and units into account, but not stall counts."
            );
            self.tooltip(&what, inst, PAPER, Some(EQUATIONS.to_owned()), "issueCycle")
        })
    }

    fn simulated_cycle(&self, issues: &Issues, inst: usize) -> Hint {
        let (cycle, width) = (issues.issue(inst).cycle, issues.cycle_digits);
        let label = format!("@{cycle:>width$} ");
        self.hint(inst, HintKind::IssueCycle, label, || self.about_cycle(issues, inst))
    }

    fn about_cycle(&self, issues: &Issues, inst: usize) -> String {
        let issue = issues.issue(inst);
        let cycle = issue.cycle;
        let stall = match issue.stall.cycles {
            0 => "That warp does not stall here.".to_owned(),
            cycles => {
                let reason = issue.stall.reason;
                format!("That warp stalls {}, `{}`: {}.", in_cycles(cycles), reason.name(), meaning(reason))
            }
        };
        let doubt = issues.doubt(self.kernel.program(), inst);
        let doubt = doubt.map_or_else(String::new, |doubt| {
            format!(" {}", estimated(doubt, |inst| self.kernel.located(inst)))
        });
        let what = format!(
            "**Predicted to issue at cycle {cycle}** of its basic block, for a single warp with warm caches. \
             Scoreboards set before the preceding block count as released. {stall}{doubt}"
        );
        let model = model_on(ModelName::Pipeline, &self.kernel.target);
        self.tooltip(&what, inst, &model, Some(CONTROL_CODES.to_owned()), "issueCycle")
    }

    /// Returns a hint with the number of live registers. The tooltip lists the registers in `live`.
    fn live_registers(&self, inst: usize, live: &[Register]) -> Hint {
        let liveness = self.kernel.model.liveness();
        let (counts, max) = (liveness.counts(inst), liveness.max());
        let tooltip = || {
            format!(
                "**{} live**: {}. These registers hold a value that is read later, or are written here. At most {} \
                 general registers are live at once in this kernel. Counted as by `nvdisasm -plr`.\n\n*warplens; hide with* \
                 `hints.liveRegisters`",
                live::in_words(counts),
                live::names(live),
                max.general,
            )
        };
        let label = format!(" {} ", live::in_columns(counts, max));
        self.hint(inst, HintKind::LiveRegisters, label, tooltip)
    }

    fn dual_issue(&self, inst: usize) -> Option<Hint> {
        let instructions = &self.kernel.program().instructions;
        let with_next = instructions[inst].dual && inst + 1 < instructions.len();
        let with_previous = inst > 0 && instructions[inst - 1].dual;
        let (partner, label) = match (with_next, with_previous) {
            (true, _) => (inst + 1, "‖ with next"),
            (false, true) => (inst - 1, "‖ with previous"),
            (false, false) => return None,
        };
        let line = self.kernel.text(inst).line as usize;
        let tooltip = || {
            let partner = self.kernel.located(partner as u32);
            let what = format!("**Dual issue**: issues in the same cycle as {partner}.");
            self.tooltip(&what, inst, PAPER, Some("the control code".to_owned()), "dualIssue")
        };
        Some(Hint {
            offset: self.kernel.sass.line_range(self.kernel.index, line).end,
            kind: HintKind::DualIssue,
            label: format!(" {label}"),
            tooltip: self.shown(tooltip),
        })
    }

    /// Returns the tooltip; empty, without calling `tooltip`, if tooltips are off.
    fn shown(&self, tooltip: impl FnOnce() -> String) -> String {
        if self.tooltips { tooltip() } else { String::new() }
    }

    /// Formats a tooltip: the meaning of the hint, the GPU, the basic block, the model, the source, and the setting
    /// that hides the hint.
    fn tooltip(&self, what: &str, inst: usize, model: &str, source: Option<String>, setting: &str) -> String {
        let source = source.map_or_else(String::new, |source| format!("  \nSource: {source}"));
        format!(
            "{what}\n\nGPU: {}  \nRegion: {}  \nModel: {model}{source}\n\n*warplens; hide with* `hints.{setting}`",
            self.gpu,
            self.kernel.region(inst),
        )
    }
}

/// Number of characters in a latency label, excluding the digits.
pub(crate) const LATENCY_FRAME: usize = " ~c ".len(); // limit: the length of the label's own text

/// Formats a latency with its mark, or an empty cell of the same width for `None`.
pub(crate) fn latency_label(latency: Option<(char, u32)>, digits: usize) -> String {
    match latency {
        Some((mark, cycles)) => format!(" {mark}{cycles:>digits$}c "),
        None => format!(" {:width$}  ", "·", width = digits + 1),
    }
}

/// Returns the character in front of a latency: `~` for an estimate, otherwise a space.
pub(crate) fn mark_of(note: &LatencyNote) -> char {
    if is_estimate(note) { '~' } else { ' ' }
}

/// Returns the byte offset at which the hints of an instruction form a column: after the address or the
/// control code. `start` is the byte offset of the chunk in the text.
pub(crate) fn gutter(chunk: &Chunk, start: usize, inst: usize) -> usize {
    let line = chunk.instructions()[inst].line as usize;
    let before = chunk.line_tokens(line).iter();
    let end = before.take_while(|token| matches!(token.kind, TokenKind::Address | TokenKind::Control)).last();
    let column = end.map_or(0, syntax::sass::Token::end);
    start + chunk.lines()[line].start as usize + column
}

/// True if a kernel has control codes and the text does not already show them in that notation.
fn is_worth_picturing(chunk: &Chunk, notation: Notation) -> bool {
    let written = chunk.dialect().and_then(Notation::for_dialect);
    first_control(chunk).is_some_and(|control| Some(shown_in(&control, notation)) != written)
}

fn first_control(chunk: &Chunk) -> Option<Control> {
    chunk.instructions().iter().find_map(|inst| inst.control)
}

/// Returns KeplerAs notation for Kepler control codes, which no other notation can express. Other codes
/// keep `notation`.
fn shown_in(control: &Control, notation: Notation) -> Notation {
    if control.kepler.is_some() { Notation::KeplerAs } else { notation }
}

/// Formats a sentence about the latency of a load that misses the caches. It follows the sentence about
/// the hit latency.
pub(crate) fn of_miss(note: &LatencyNote) -> String {
    format!(
        " This latency is for a hit in L1, which the issue cycle assumes; a miss takes about {} cycles ({}).",
        note.cycles, note.source
    )
}

/// Name of the `paper` model, as tooltips show it.
const PAPER: &str = ModelName::Paper.name();

/// Source of the `paper` model's issue cycles.
const EQUATIONS: &str = "paper: ICS'17 (Zhou et al.), Algorithms 1 to 3";

/// Source of the `pipeline` model's issue cycles.
const CONTROL_CODES: &str = "the control codes, and figures measured on the hardware";
