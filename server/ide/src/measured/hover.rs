//! The measured part of a hover.

use super::hints::tooltip;
use super::kernel::MeasuredKernel;
use super::lines::Lines;
use crate::engine::sass_view::SassView;
use std::ops::Range;

/// The figures of the instruction that stands at a place of a listing; `None` where there is nothing.
pub(crate) fn of_listing(sass: &SassView, offset: usize) -> Option<String> {
    if sass.context.profiles.files().is_empty() {
        return None;
    }
    let line = sass.line_at(offset)?;
    let kernel = MeasuredKernel::of(sass, line.index)?;
    let tally = kernel.tally(line.instruction()?)?;
    Some(tooltip(&tally, kernel.samples, kernel.age().as_deref(), &kernel.source()))
}

/// The figures of the line at a place of a source, with the bytes of the line.
pub(crate) fn of_lines(lines: &Lines<'_>, offset: usize) -> Option<(Range<usize>, String)> {
    let own = lines.all.iter().find(|own| own.range.contains(&offset))?;
    Some((own.range.clone(), tooltip(&own.tally, lines.samples, lines.age.as_deref(), &lines.source)))
}
