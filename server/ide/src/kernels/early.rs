//! Provisional hints while the hints of a long function are being computed. Unchanged lines show the
//! figures of the last known version, marked if the edit may have changed them. Changed lines show no
//! old figures.

use crate::engine::cancel::Cancellable;
use crate::engine::kernel::assumes_warm_caches;
use crate::engine::sass_view::SassView;
use crate::kernels::hints::{HintRequest, LATENCY_FRAME, are_wanted, latency_label, mark_of, of_chunk};
use crate::{Hint, HintKind, ModelChoice};
use model::Program;
use model::paper::{MissRatio, latency_note};
use std::ops::Range;
use std::sync::Arc;
use syntax::sass::{Chunk, Instruction, Listing};

/// Maximum number of instructions in a kernel that needs no early hints, because its model takes only a few
/// milliseconds. Source: a model takes about 3 microseconds per instruction.
const SHORT: usize = 2_000;

/// Maximum number of changed lines whose latencies are computed at once; a screen shows fewer.
const MAX_CHANGED: usize = 200; // limit: early hints must not wait

/// Prefix of the tooltip of a hint that was copied from an earlier version.
const CARRIED_OVER: &str =
    "*`?`: computed before the last edit and possibly outdated. The figure is being recomputed.*\n\n";

/// Tooltip of a hint whose figure is still being computed.
const PENDING: &str = "This figure is being computed.";

/// True if all data for the hints of a kernel is computed.
pub(crate) fn is_ready(sass: &SassView, chunk: &Chunk) -> bool {
    let target = sass.target(chunk);
    let simulates = sass.context.config.hints.issue_cycle && sass.context.config.model != ModelChoice::Paper;
    let known = sass.known_model(chunk, &target);
    known.is_some_and(|model| !simulates || model.is_simulated())
}

/// Saves the long kernels in `range` whose figures are all computed, so that early hints can reuse the figures.
pub(crate) fn remember(sass: &SassView, range: &Range<usize>) {
    // The hidden listing of a PTX text is never edited.
    if sass.origin.is_some() {
        return;
    }
    for index in sass.chunks_in(range) {
        let chunk = &sass.listing().chunks()[index];
        if chunk.instructions().len() > SHORT && is_ready(sass, chunk) {
            let name = chunk.name().unwrap_or_default();
            sass.lineage.keep(name, chunk.hash(), &sass.text, index);
        }
    }
}

/// Returns provisional hints until the listing's own hints are computed; see
/// [`crate::Analysis::early_hints`].
pub(crate) fn early_hints(sass: &SassView, asked: &HintRequest) -> Cancellable<Option<Vec<Hint>>> {
    let mut found = Vec::new();
    let mut is_early = false;
    if !are_wanted(sass) {
        return Ok(None);
    }
    for index in sass.chunks_in(&asked.range) {
        sass.cancel.check()?;
        let chunk = &sass.listing().chunks()[index];
        if chunk.instructions().len() <= SHORT || is_ready(sass, chunk) {
            of_chunk(sass, index, asked, &mut found);
            continue;
        }
        let Some((text, at)) = sass.lineage.find(chunk.name().unwrap_or_default()) else {
            return Ok(None);
        };
        let earlier = sass.earlier(&text);
        let before = &earlier.listing().chunks()[at];
        if !is_ready(&earlier, before) || !is_similar(sass, chunk, &earlier, before) {
            return Ok(None);
        }
        let carried = EditedFunction {
            before: (earlier.start(at), before.text()),
            now: (sass.start(index), chunk.text()),
        };
        let mut hints = Vec::new();
        let changed = carried.take_over(asked, &mut hints, |asked, hints| {
            of_chunk(&earlier, at, asked, hints);
            Ok(())
        })?;
        let columns = columns(&hints);
        for hint in &mut hints {
            let is_of_line = !matches!(hint.kind, HintKind::IssueCycle | HintKind::LiveRegisters);
            carry_over(hint, is_of_line, asked.tooltips);
        }
        at_changed_lines(sass, index, &changed, &columns, asked, &mut hints);
        hints.sort_by_key(|hint| hint.offset);
        found.append(&mut hints);
        is_early = true;
    }
    Ok(is_early.then_some(found))
}

/// True if two versions of a kernel have the same architecture, GPU and dialect.
fn is_similar(sass: &SassView, chunk: &Chunk, earlier: &SassView, before: &Chunk) -> bool {
    let (now, then) = (sass.target(chunk), earlier.target(before));
    now.isa_sm == then.isa_sm && now.gpu.part.id == then.gpu.part.id && chunk.dialect() == before.dialect()
}

/// A function's text before and after an edit. Each text has its byte offset in the document.
pub(crate) struct EditedFunction<'a> {
    pub before: (usize, &'a str),
    pub now: (usize, &'a str),
}

impl EditedFunction<'_> {
    /// Appends the earlier version's hints for the unchanged lines of a range, moved to their current
    /// offsets. Returns the range of the changed lines. `ask` appends the earlier version's hints for a
    /// range of the earlier text.
    pub(crate) fn take_over(
        &self,
        asked: &HintRequest,
        hints: &mut Vec<Hint>,
        ask: impl Fn(&HintRequest, &mut Vec<Hint>) -> Cancellable<()>,
    ) -> Cancellable<Range<usize>> {
        let (head, tail) = same_lines(self.before.1, self.now.1);
        let end = self.now.0 + self.now.1.len();
        let changed = self.now.0 + head..end - tail;
        let tail_before = self.before.0 + self.before.1.len() - tail;
        let parts = [(self.now.0..changed.start, self.before.0), (changed.end..end, tail_before)];
        for (part, before) in parts {
            let wanted = asked.range.start.max(part.start)..asked.range.end.min(part.end);
            if wanted.start >= wanted.end {
                continue;
            }
            let range = wanted.start - part.start + before..wanted.end - part.start + before;
            let mut own = Vec::new();
            ask(&HintRequest { range: range.clone(), ..*asked }, &mut own)?;
            // A hint at the end of the unchanged part belongs to the next line, which may have changed.
            let last = wanted.end - part.start + before;
            let is_within = |hint: &Hint| hint.offset < last || wanted.end < part.end;
            hints.extend(
                own.into_iter()
                    .filter(is_within)
                    .map(|hint| Hint { offset: hint.offset - before + part.start, ..hint }),
            );
        }
        Ok(changed.start.max(asked.range.start)..changed.end.min(asked.range.end.saturating_add(1)))
    }
}

/// Returns the byte lengths of the common prefix and of the common suffix of two texts, in complete
/// lines.
fn same_lines(before: &str, now: &str) -> (usize, usize) {
    let (before, now) = (before.as_bytes(), now.as_bytes());
    let same = same_start(before, now);
    let line_end = |text: &[u8]| text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let head = line_end(&before[..same]);
    let (before, now) = (&before[head..], &now[head..]);
    let same = same_end(before, now);
    // The first line of the common suffix is complete if the suffix begins at a line start in both
    // texts.
    let starts_line = |text: &[u8]| text.len() == same || text[text.len() - same - 1] == b'\n';
    let tail = if starts_line(before) && starts_line(now) {
        same
    } else {
        let tail = &now[now.len() - same..];
        tail.iter().position(|&byte| byte == b'\n').map_or(0, |at| same - at - 1)
    };
    (head, tail)
}

/// Number of bytes compared per step.
const STEP: usize = 4096; // limit: a page; the cancel token is read after each

/// Returns the length in bytes of the common prefix of two texts.
fn same_start(one: &[u8], other: &[u8]) -> usize {
    let steps = one.chunks(STEP).zip(other.chunks(STEP)).take_while(|(one, other)| one == other).count();
    let same = (steps * STEP).min(one.len()).min(other.len());
    same + one[same..].iter().zip(&other[same..]).take_while(|(one, other)| one == other).count()
}

/// Returns the length in bytes of the common suffix of two texts.
fn same_end(one: &[u8], other: &[u8]) -> usize {
    let steps = one.rchunks(STEP).zip(other.rchunks(STEP)).take_while(|(one, other)| one == other).count();
    let same = (steps * STEP).min(one.len()).min(other.len());
    let (one, other) = (&one[..one.len() - same], &other[..other.len() - same]);
    same + one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}

/// Returns the hint kinds that form columns, in order of appearance, each with the width of its column in characters.
pub(crate) fn columns(hints: &[Hint]) -> Vec<(HintKind, usize)> {
    let mut columns: Vec<(HintKind, usize)> = Vec::new();
    for hint in hints.iter().filter(|hint| hint.kind != HintKind::DualIssue) {
        if columns.iter().all(|(kind, _)| *kind != hint.kind) {
            columns.push((hint.kind, hint.label.chars().count()));
        }
    }
    columns
}

/// Marks a hint that was copied from an earlier version. `is_of_line` is true if the label depends only
/// on its own line; such a label gets no mark.
pub(crate) fn carry_over(hint: &mut Hint, is_of_line: bool, tooltips: bool) {
    if !is_of_line {
        if hint.label.ends_with(' ') {
            hint.label.pop();
        }
        hint.label.push('?');
    }
    if tooltips {
        hint.tooltip.insert_str(0, CARRIED_OVER);
    }
}

/// Returns a hint that reserves a column while its figure is being computed.
pub(crate) fn pending(offset: usize, kind: HintKind, width: usize, tooltips: bool) -> Hint {
    let tooltip = if tooltips { PENDING.to_owned() } else { String::new() };
    Hint { offset, kind, label: format!("{:^width$}", "…"), tooltip }
}

/// Appends the hints of changed lines: latencies, which depend on one line only, and empty cells for
/// figures that depend on the entire kernel.
fn at_changed_lines(
    sass: &SassView,
    index: usize,
    changed: &Range<usize>,
    columns: &[(HintKind, usize)],
    asked: &HintRequest,
    hints: &mut Vec<Hint>,
) {
    let chunk = &sass.listing().chunks()[index];
    let start = sass.start(index);
    if changed.is_empty() {
        return;
    }
    let begins = |inst: &Instruction| start + chunk.lines()[inst.line as usize].start as usize;
    let place = |byte: usize| chunk.instructions().partition_point(|inst| begins(inst) < byte);
    let own = place(changed.start)..place(changed.end);
    let latencies = if own.len() <= MAX_CHANGED { latencies(sass, chunk, own.clone()) } else { None };
    for (at, inst) in own.enumerate() {
        let offset = crate::kernels::hints::gutter(chunk, start, inst);
        if !asked.range.contains(&offset) && offset != asked.range.end {
            continue;
        }
        for &(kind, width) in columns {
            let mut hint = pending(offset, kind, width, asked.tooltips);
            if let Some(label) = latencies.as_ref().filter(|_| kind == HintKind::Latency).map(|all| &all[at])
            {
                hint.label = latency_label(*label, width.saturating_sub(LATENCY_FRAME));
            }
            hints.push(hint);
        }
    }
}

/// Returns the latencies of instructions decoded from their lines only. Each latency has the mark that
/// shows whether it is an estimate. `None` if the lines parse differently outside the kernel.
fn latencies(sass: &SassView, chunk: &Chunk, own: Range<usize>) -> Option<Vec<Option<(char, u32)>>> {
    let mut text = String::new();
    for inst in &chunk.instructions()[own.clone()] {
        text.push_str(chunk.line_text(inst.line as usize));
        text.push('\n');
    }
    let listing = Listing::parse(&text);
    let [only] = listing.chunks() else { return None };
    if only.instructions().len() != own.len() {
        return None;
    }
    let target = sass.target(chunk);
    let isa_arch = sass.context.machine.gpu_for_sm(target.isa_sm).arch;
    let mut program = Program::decode(only, &isa_arch);
    program.arch = Arc::clone(&target.gpu.arch);
    let is_warm = !sass.wants_paper() && assumes_warm_caches(chunk, &isa_arch, &program.arch);
    let ratio = MissRatio::new(if is_warm { 0.0 } else { sass.context.config.miss_ratio });
    let latency = |at: usize| {
        let note = latency_note(&program, at, ratio)?;
        Some((mark_of(&note), note.cycles))
    };
    Some((0..own.len()).map(latency).collect())
}

#[cfg(test)]
mod tests {
    use super::same_lines;

    #[test]
    fn what_is_the_same_is_whole_lines() {
        assert_eq!(same_lines("a\nb\nc\n", "a\nx\nc\n"), (2, 2));
        assert_eq!(same_lines("a\nb\nc\n", "a\nb\nc\n"), (6, 0));
        assert_eq!(same_lines("a\nb\nc\n", "a\nc\n"), (2, 2));
        assert_eq!(same_lines("a\nbx\nc", "a\ncx\nc"), (2, 1));
        assert_eq!(same_lines("a\nb\n", "a\nb\nb\n"), (4, 0));
        assert_eq!(same_lines("x\n", "y\n"), (0, 0));
        assert_eq!(same_lines("b\n", "ab\n"), (0, 0));
        assert_eq!(same_lines("", "y\n"), (0, 0));
        let long = "line\n".repeat(4_000);
        let (one, other) = (format!("{long}x\n{long}"), format!("{long}yy\n{long}"));
        assert_eq!(same_lines(&one, &other), (long.len(), long.len()));
    }
}
