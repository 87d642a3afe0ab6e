//! Inlay hints: beside every instruction, its control code, its latency, the cycle it issues at, the registers in use and
//! its dual-issue partner.

use crate::engine::cancel::Answer;
use crate::engine::issue_simulation::{Issues, meaning};
use crate::engine::kernel::KernelModel;
use crate::engine::sass_view::{SassView, instructions_on, lines_in};
use crate::engine::target::{Target, model_on};
use crate::words::cycle_words::{estimated, in_cycles, is_estimate, latency_in_words};
use crate::words::{control_words, live};
use crate::{Hint, HintKind, ModelChoice};
use model::{LatencyNote, ModelName, Register};
use std::ops::Range;
use syntax::sass::{Chunk, Control, Notation, TokenKind};

/// The hints that are asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Bytes of the text that a hint has to stand in, or at the end of.
    pub range: Range<usize>,
    /// Otherwise the tooltips are empty.
    pub tooltips: bool,
}

pub(crate) fn hints(sass: &SassView, asked: &Asked) -> Answer<Vec<Hint>> {
    let mut hints = Vec::new();
    for index in sass.chunks_in(&asked.range) {
        sass.cancel.check()?;
        of_chunk(sass, index, asked, &mut hints);
    }
    Ok(hints)
}

/// Whether any hint is switched on.
pub(crate) fn are_wanted(sass: &SassView) -> bool {
    let kinds = sass.context.config.hints;
    let has_picture = kinds.control_code.notation().is_some();
    has_picture || kinds.latency || kinds.issue_cycle || kinds.dual_issue || kinds.live_registers
}

/// Adds the hints of one chunk, in text order.
pub(crate) fn of_chunk(sass: &SassView, index: usize, asked: &Asked, hints: &mut Vec<Hint>) {
    let chunk = &sass.listing().chunks()[index];
    if chunk.instructions().is_empty() || !are_wanted(sass) {
        return;
    }
    let kinds = sass.context.config.hints;
    let range = &asked.range;
    let start = sass.start(index);
    let lines = lines_in(chunk, &(range.start.saturating_sub(start)..range.end.saturating_sub(start)));
    let insts = instructions_on(chunk, &lines);
    let target = sass.target(chunk);
    let model = sass.model(chunk, &target);
    let issues = if kinds.issue_cycle { sass.issues(chunk, &model) } else { None };
    let gpu = target.describe();
    let picture = kinds.control_code.notation().filter(|&notation| is_worth_picturing(chunk, notation));
    let names_live = kinds.live_registers && asked.tooltips;
    let live = if names_live { model.liveness().live_in(&model.program, insts.clone()) } else { Vec::new() };
    let tooltips = asked.tooltips;
    let kernel = Kernel { sass, chunk, model: &model, issues, target: &target, gpu, start, tooltips };
    let has_cycles = issues.is_some() || sass.context.config.model != ModelChoice::Pipeline;
    let mut live = live.into_iter();
    for inst in insts {
        let mut of_instruction = Vec::with_capacity(5);
        of_instruction.extend(picture.map(|notation| kernel.control_code(inst, notation)));
        if kinds.latency {
            of_instruction.push(kernel.latency(inst));
        }
        if kinds.issue_cycle && has_cycles {
            of_instruction.push(kernel.issue_cycle(inst));
        }
        if kinds.live_registers {
            of_instruction.push(kernel.live_registers(inst, &live.next().unwrap_or_default()));
        }
        if kinds.dual_issue {
            of_instruction.extend(kernel.dual_issue(inst));
        }
        // The place of a hint can lie outside the range although its line touches it.
        of_instruction.retain(|hint| range.contains(&hint.offset) || hint.offset == range.end);
        hints.append(&mut of_instruction);
    }
}

struct Kernel<'a> {
    sass: &'a SassView,
    chunk: &'a Chunk,
    model: &'a KernelModel,
    /// Issue cycles by the `pipeline` model, where it applies.
    issues: Option<&'a Issues>,
    target: &'a Target,
    gpu: String,
    /// Offset of the chunk in the text.
    start: usize,
    /// Otherwise they are empty.
    tooltips: bool,
}

impl Kernel<'_> {
    fn gutter(&self, inst: usize) -> usize {
        gutter(self.chunk, self.start, inst)
    }

    fn control_code(&self, inst: usize, notation: Notation) -> Hint {
        let control = self.chunk.instructions()[inst].control;
        let notation = first_control(self.chunk).map_or(notation, |control| shown_in(&control, notation));
        let picture = control.and_then(|control| notation.print(&control)).unwrap_or_default();
        let said = || {
            let Some(control) = control else {
                return "**No control code**: the text has none for this instruction.".to_owned();
            };
            let waits = control_words::waits_in_words(self.sass, self.model, self.chunk, inst);
            format!("**Control code**: {}.\n{waits}", control_words::in_words(&control))
        };
        let width =
            if notation == Notation::CuAssembler { "B------:R-:W-:-:S00".len() } else { "--:-:-:-:0".len() };
        Hint {
            offset: self.gutter(inst),
            kind: HintKind::ControlCode,
            label: format!(" {picture:width$} "),
            tooltip: self.shown(|| {
                format!(
                    "{}\nWritten as {} does.\n\n*warplens; hide with* `hints.controlCode`",
                    said(),
                    notation.name(),
                )
            }),
        }
    }

    fn latency(&self, inst: usize) -> Hint {
        let width = self.model.latency_digits;
        let Some(note) = self.model.latency_note(inst) else {
            // An empty cell keeps the next column in its place.
            return Hint {
                offset: self.gutter(inst),
                kind: HintKind::Latency,
                label: latency_label(None, width),
                tooltip: self.shown(|| self.tooltip(self.why_no_latency(inst), inst, PAPER, None, "latency")),
            };
        };
        Hint {
            offset: self.gutter(inst),
            kind: HintKind::Latency,
            label: latency_label(Some((mark_of(&note), note.cycles)), width),
            tooltip: self.shown(|| {
                let latency = latency_in_words(&note);
                let what =
                    format!("**Latency {latency}**: from issue until a dependent instruction can issue.");
                self.tooltip(&what, inst, PAPER, Some(note.source.to_string()), "latency")
            }),
        }
    }

    fn why_no_latency(&self, inst: usize) -> &'static str {
        if self.model.program.instructions[inst].opcode.is_some() {
            "No latency: nothing waits for a result of this instruction."
        } else {
            "Latency unknown: the opcode is not in the table of this architecture."
        }
    }

    fn issue_cycle(&self, inst: usize) -> Hint {
        if let Some(issues) = self.issues {
            return self.simulated_cycle(issues, inst);
        }
        let cycle = self.model.times.instructions[inst].issue_cycle;
        let width = self.model.cycle_digits;
        let what = || {
            format!(
                "**Predicted to issue at cycle {cycle}** of its basic block: one warp alone, nothing under way from before. \
                 Estimated: the model knows dependences and units, but no stall counts."
            )
        };
        Hint {
            offset: self.gutter(inst),
            kind: HintKind::IssueCycle,
            label: format!("@{cycle:>width$} "),
            tooltip: self
                .shown(|| self.tooltip(&what(), inst, PAPER, Some(EQUATIONS.to_owned()), "issueCycle")),
        }
    }

    fn simulated_cycle(&self, issues: &Issues, inst: usize) -> Hint {
        let (cycle, width) = (issues.of_instruction(inst).cycle, issues.cycle_digits);
        Hint {
            offset: self.gutter(inst),
            kind: HintKind::IssueCycle,
            label: format!("@{cycle:>width$} "),
            tooltip: self.shown(|| self.about_cycle(issues, inst)),
        }
    }

    fn about_cycle(&self, issues: &Issues, inst: usize) -> String {
        let issue = issues.of_instruction(inst);
        let cycle = issue.cycle;
        let stall = match issue.stall.cycles {
            0 => "No stall before it.".to_owned(),
            cycles => {
                let reason = issue.stall.reason;
                format!(
                    "Stalled {} before it by `{}`: {}.",
                    in_cycles(cycles),
                    reason.name(),
                    meaning(reason)
                )
            }
        };
        let doubt = issues.doubt(&self.model.program, inst);
        let doubt = doubt.map_or_else(String::new, |doubt| {
            format!(" {}", estimated(doubt, |inst| self.sass.located(self.model, self.chunk, inst)))
        });
        let what = format!(
            "**Predicted to issue at cycle {cycle}** of its basic block: one warp alone, caches warm, scoreboards clear but \
             for those set in the block before. {stall}{doubt}"
        );
        let model = model_on(ModelName::Pipeline, self.target);
        self.tooltip(&what, inst, &model, Some(CONTROL_CODES.to_owned()), "issueCycle")
    }

    /// `live`: the registers in use there, for the tooltip.
    fn live_registers(&self, inst: usize, live: &[Register]) -> Hint {
        let liveness = self.model.liveness();
        let (counts, max) = (liveness.counts(inst), liveness.max());
        let tooltip = || {
            format!(
                "**{} in use**: {}. Those that hold a value wanted later, and those written here; at most {} in this kernel. \
                 Counted as `nvdisasm -plr` does.\n\n*warplens; hide with* `hints.liveRegisters`",
                live::in_words(counts),
                live::names(live),
                max.general,
            )
        };
        Hint {
            offset: self.gutter(inst),
            kind: HintKind::LiveRegisters,
            label: format!(" {} ", live::in_columns(counts, max)),
            tooltip: self.shown(tooltip),
        }
    }

    fn dual_issue(&self, inst: usize) -> Option<Hint> {
        let instructions = &self.model.program.instructions;
        let with_next = instructions[inst].dual && inst + 1 < instructions.len();
        let with_previous = inst > 0 && instructions[inst - 1].dual;
        let (partner, label) = match (with_next, with_previous) {
            (true, _) => (inst + 1, "‖ with next"),
            (false, true) => (inst - 1, "‖ with previous"),
            (false, false) => return None,
        };
        let line = self.chunk.instructions()[inst].line as usize;
        let line = &self.chunk.lines()[line];
        let what = || {
            let partner = self.sass.located(self.model, self.chunk, partner);
            format!("**Dual issue**: goes out in the same cycle as {partner}.")
        };
        Some(Hint {
            offset: self.start + (line.start + line.len) as usize,
            kind: HintKind::DualIssue,
            label: format!(" {label}"),
            tooltip: self.shown(|| {
                self.tooltip(&what(), inst, PAPER, Some("the control code".to_owned()), "dualIssue")
            }),
        })
    }

    /// A tooltip, where they are asked for.
    fn shown(&self, tooltip: impl FnOnce() -> String) -> String {
        if self.tooltips { tooltip() } else { String::new() }
    }

    /// Writes a tooltip: the hint's meaning, then what it rests on (GPU, region, model, source), and how to hide it.
    fn tooltip(&self, what: &str, inst: usize, model: &str, source: Option<String>, setting: &str) -> String {
        let source = source.map_or_else(String::new, |source| format!("  \nSource: {source}"));
        format!(
            "{what}\n\nGPU: {}  \nRegion: {}  \nModel: {model}{source}\n\n*warplens; hide with* `hints.{setting}`",
            self.gpu,
            self.sass.region(self.model, self.chunk, inst),
        )
    }
}

/// Characters of the label of a latency beside its digits.
pub(crate) const LATENCY_FRAME: usize = " ~c ".len();

/// The label of a latency with its mark, or an empty cell of the same width.
pub(crate) fn latency_label(latency: Option<(char, u32)>, digits: usize) -> String {
    match latency {
        Some((mark, cycles)) => format!(" {mark}{cycles:>digits$}c "),
        None => format!(" {:width$}  ", "·", width = digits + 1),
    }
}

/// The mark in front of a latency: whether it is an estimate.
pub(crate) fn mark_of(note: &LatencyNote) -> char {
    if is_estimate(note) { '~' } else { ' ' }
}

/// The place before an instruction, behind its address or control code: a column of its own. `start`: of the chunk in the
/// text.
pub(crate) fn gutter(chunk: &Chunk, start: usize, inst: usize) -> usize {
    let line = chunk.instructions()[inst].line as usize;
    let before = chunk.line_tokens(line).iter();
    let end = before.take_while(|token| matches!(token.kind, TokenKind::Address | TokenKind::Control)).last();
    let column = end.map_or(0, syntax::sass::Token::end);
    start + chunk.lines()[line].start as usize + column
}

/// Whether a kernel has control codes that its text does not show in that notation already.
fn is_worth_picturing(chunk: &Chunk, notation: Notation) -> bool {
    let written = chunk.dialect().and_then(Notation::for_dialect);
    first_control(chunk).is_some_and(|control| Some(shown_in(&control, notation)) != written)
}

fn first_control(chunk: &Chunk) -> Option<Control> {
    chunk.instructions().iter().find_map(|inst| inst.control)
}

/// KeplerAs's notation for Kepler's codes, which no other can say.
fn shown_in(control: &Control, notation: Notation) -> Notation {
    if control.kepler.is_some() { Notation::KeplerAs } else { notation }
}

/// The model of latencies.
const PAPER: &str = ModelName::Paper.name();

/// Source of the issue cycles of `paper`.
const EQUATIONS: &str = "paper: ICS'17 (Zhou et al.), Algorithms 1 to 3";

/// Source of the issue cycles of `pipeline`.
const CONTROL_CODES: &str = "the control codes, and figures measured on the hardware";
