//! Hints at line ends: the line's share of a profile's samples, and its most frequent stall reason.

use super::kernel::MeasuredKernel;
use super::lines::{Lines, MeasuredLine};
use super::tally::Tally;
use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::kernels::hints::HintRequest;
use crate::{Hint, HintKind};

/// Smallest share of the samples that is shown.
pub(super) const MIN_SHARE: f64 = 0.005; // limit: less is noise of the sampling

/// Returns the hints for a range of a listing, in text order.
pub(crate) fn of_listing(sass: &SassView, asked: &HintRequest) -> Cancellable<Vec<Hint>> {
    let mut hints = Vec::new();
    if !sass.context.config.hints.measured || sass.context.profiles.files().is_empty() {
        return Ok(hints);
    }
    for index in sass.chunks_in(&asked.range) {
        sass.cancel.check()?;
        let Some(kernel) = MeasuredKernel::find(sass, index) else { continue };
        for inst in sass.instructions_in(index, &asked.range) {
            let Some(tally) = kernel.tally(inst) else { continue };
            let chunk = &sass.listing().chunks()[index];
            let line = chunk.instructions()[inst].line as usize;
            let range = sass.line_range(index, line);
            // Placed after the semicolon, because encodings at the end of a line are off screen.
            let end = chunk.line_text(line).find(';').map_or(range.end, |at| range.start + at + 1);
            let own = || tooltip(&tally, kernel.samples, kernel.age().as_deref(), &kernel.source());
            hints.extend(hint(end, &tally, kernel.samples, kernel.is_same_code(), asked, own));
        }
    }
    hints.retain(|hint| asked.range.contains(&hint.offset) || hint.offset == asked.range.end);
    Ok(hints)
}

/// Returns the hints for the lines of a source file.
pub(crate) fn of_lines(lines: &Lines<'_>, asked: &HintRequest) -> Vec<Hint> {
    let own = lines
        .all
        .iter()
        .filter(|own| asked.range.contains(&own.range.end) || own.range.end == asked.range.end);
    let hints = own.filter_map(|own| {
        let words = || of_line(lines, own);
        hint(own.range.end, &own.tally, own.samples, own.is_current && lines.age.is_none(), asked, words)
    });
    hints.collect()
}

fn hint(
    offset: usize,
    tally: &Tally<'_>,
    all: f64,
    is_current: bool,
    asked: &HintRequest,
    words: impl Fn() -> String,
) -> Option<Hint> {
    let share = tally.samples / all;
    if share.is_nan() || share < MIN_SHARE {
        return None;
    }
    let reason = tally.top_stall().map(|reason| format!(" {reason}")).unwrap_or_default();
    let mark = if is_current { "" } else { " ?" };
    let label = format!("{:.1} %{reason}{mark}", 100.0 * share);
    let tooltip = if asked.tooltips { words() } else { String::new() };
    Some(Hint { offset, kind: HintKind::Measured, label, tooltip })
}

pub(super) fn tooltip(tally: &Tally<'_>, all: f64, age: Option<&str>, source: &str) -> String {
    let age = age.map(|age| format!("\n\n{age}")).unwrap_or_default();
    format!("{}{age}\n\nProfile: {source}.", tally.in_words(all, None))
}

/// Tooltip of a source line's hint, with the name of the measured kernel.
pub(super) fn of_line(lines: &Lines<'_>, own: &MeasuredLine<'_>) -> String {
    let age = lines.age.as_ref().map(|age| format!("\n\n{age}")).unwrap_or_default();
    let words = own.tally.in_words(own.samples, Some(own.short_kernel()));
    format!("{words}{}{age}\n\nProfile: {}.", own.others_in_words(), lines.source)
}
