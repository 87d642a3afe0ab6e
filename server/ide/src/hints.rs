//! Inlay hints: beside every instruction, its latency, the cycle it issues at, and its dual-issue partner.

use crate::analysis::{instructions_on, lines_in};
use crate::kernel::{Answer, KernelModel};
use crate::target::Target;
use crate::{Analysis, Hint, HintKind};
use model::{LatencyKind, LatencyNote};
use std::ops::Range;
use syntax::sass::{Chunk, TokenKind};

pub(crate) fn hints(analysis: &Analysis, range: Range<usize>) -> Answer<Vec<Hint>> {
    let kinds = analysis.context.config.hints;
    let mut hints = Vec::new();
    if !(kinds.latency || kinds.issue_cycle || kinds.dual_issue) {
        return Ok(hints);
    }
    for index in analysis.chunks_in(&range) {
        analysis.cancel.check()?;
        let chunk = &analysis.listing().chunks()[index];
        if chunk.instructions().is_empty() {
            continue;
        }
        let start = analysis.start(index);
        let lines = lines_in(chunk, &(range.start.saturating_sub(start)..range.end.saturating_sub(start)));
        let target = analysis.target(chunk);
        let kernel = Kernel { chunk, model: &analysis.model(chunk, &target), gpu: target.describe(), start };
        for inst in instructions_on(chunk, &lines) {
            let from = hints.len();
            if kinds.latency {
                hints.push(kernel.latency(inst));
            }
            if kinds.issue_cycle {
                hints.push(kernel.issue_cycle(inst, &target));
            }
            if kinds.dual_issue {
                hints.extend(kernel.dual_issue(inst));
            }
            // The place of a hint can lie outside the range although its line touches it.
            let mut at = 0;
            hints.retain(|hint| {
                at += 1;
                at <= from || range.contains(&hint.offset) || hint.offset == range.end
            });
        }
    }
    Ok(hints)
}

struct Kernel<'a> {
    chunk: &'a Chunk,
    model: &'a KernelModel,
    gpu: String,
    /// Of the chunk in the text.
    start: usize,
}

impl Kernel<'_> {
    /// Before the instruction, behind its address or control code: a column of its own.
    fn gutter(&self, inst: usize) -> usize {
        let instruction = &self.chunk.instructions()[inst];
        let line = instruction.line as usize;
        let before = self.chunk.line_tokens(line).iter();
        let end =
            before.take_while(|token| matches!(token.kind, TokenKind::Address | TokenKind::Control)).last();
        let column = end.map_or(0, syntax::sass::Token::end);
        self.start + self.chunk.lines()[line].start as usize + column
    }

    fn latency(&self, inst: usize) -> Hint {
        let width = self.model.latency_digits;
        let Some(note) = self.model.latency_note(inst) else {
            // An empty cell keeps the next column in its place.
            return Hint {
                offset: self.gutter(inst),
                kind: HintKind::Latency,
                label: format!(" {:width$}  ", "·", width = width + 1),
                tooltip: "No latency: the instruction writes no register.".to_owned(),
            };
        };
        let mark = if is_estimate(&note) { '~' } else { ' ' };
        Hint {
            offset: self.gutter(inst),
            kind: HintKind::Latency,
            label: format!(" {mark}{:>width$}c ", note.cycles),
            tooltip: format!(
                "**Latency {}**: from issue until a dependent instruction can issue.\n\nGPU: {}  \nSource: {}\n\n\
                 *warplens; hide with* `hints.latency`",
                latency_in_words(&note),
                self.gpu,
                note.source,
            ),
        }
    }

    fn issue_cycle(&self, inst: usize, target: &Target) -> Hint {
        let times = &self.model.times.instructions[inst];
        let width = self.model.cycle_digits;
        Hint {
            offset: self.gutter(inst),
            kind: HintKind::IssueCycle,
            label: format!("@{:>width$} ", times.issue_cycle),
            tooltip: format!(
                "**Predicted to issue at cycle {}**, counted from the start of its basic block ({}): one warp alone, \
                 nothing under way from before, caches as the miss ratio says.\n\nEstimated by the `paper` model (ICS'17, \
                 Algorithms 1 to 3), which knows dependences and units but no stall counts.  \nGPU: {}\n\n\
                 *warplens; hide with* `hints.issueCycle`",
                times.issue_cycle,
                region(self.model, self.chunk, inst),
                target.describe(),
            ),
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
        Some(Hint {
            offset: self.start + (line.start + line.len) as usize,
            kind: HintKind::DualIssue,
            label: format!(" {label}"),
            tooltip: format!(
                "**Dual issue**: goes out in the same cycle as `{}` at {:#06x}, as the control code says.\n\n\
                 *warplens; hide with* `hints.dualIssue`",
                self.chunk.mnemonic(&self.chunk.instructions()[partner]),
                instructions[partner].address,
            ),
        })
    }
}

/// `4 cycles (fixed)`, `about 33 cycles (variable, estimated)`.
pub(crate) fn latency_in_words(note: &LatencyNote) -> String {
    let LatencyNote { cycles, kind, source } = note;
    let estimated = if source.is_estimate() { ", estimated" } else { "" };
    match kind {
        LatencyKind::Fixed => format!("{cycles} cycles (fixed by the pipeline{estimated})"),
        LatencyKind::Variable => {
            format!("about {cycles} cycles (variable: a scoreboard orders it{estimated})")
        }
        LatencyKind::Unknown => format!("{cycles} cycles (unknown{estimated})"),
    }
}

/// True where a latency's number must not be read as exact.
pub(crate) fn is_estimate(note: &LatencyNote) -> bool {
    note.kind != LatencyKind::Fixed || note.source.is_estimate()
}

/// `0x0080 to 0x00f0`: the instructions of the basic block that an instruction stands in.
pub(crate) fn region(model: &KernelModel, chunk: &Chunk, inst: usize) -> String {
    let program = &model.program;
    let block = &program.blocks[program.instructions[inst].block as usize].instructions;
    let (first, last) = (block.start as usize, block.end.saturating_sub(1) as usize);
    if chunk.instructions()[first].address.is_some() {
        format!("{:#06x} to {:#06x}", program.instructions[first].address, program.instructions[last].address)
    } else {
        format!("instructions {} to {} of the kernel", first + 1, last + 1)
    }
}
