//! Heat in the gutter: the share of the samples of each line.

use super::kernel::MeasuredKernel;
use super::lines::Lines;
use crate::engine::cancel::Answer;
use crate::engine::sass_view::SassView;
use std::ops::Range;

/// A line's share of the samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// Bytes of the line.
    pub range: Range<usize>,
    /// 0 to 1.
    pub share: f64,
    /// The profile is of other code.
    pub is_stale: bool,
}

/// The lines of a listing with samples, in text order.
pub(crate) fn of_listing(sass: &SassView) -> Answer<Vec<Heat>> {
    let mut heat = Vec::new();
    if sass.context.profiles.files().is_empty() {
        return Ok(heat);
    }
    for (index, chunk) in sass.kernels() {
        sass.cancel.check()?;
        let Some(kernel) = MeasuredKernel::of(sass, index).filter(|kernel| kernel.samples > 0.0) else {
            continue;
        };
        let is_stale = !kernel.is_same_code();
        heat.extend(chunk.instructions().iter().enumerate().filter_map(|(inst, own)| {
            let share = kernel.tally(inst)?.samples / kernel.samples;
            (share > 0.0).then(|| Heat { range: sass.line_range(index, own.line as usize), share, is_stale })
        }));
    }
    Ok(heat)
}

/// The lines of a source.
pub(crate) fn of_lines(lines: &Lines<'_>) -> Vec<Heat> {
    let share = |samples: f64| if lines.samples > 0.0 { samples / lines.samples } else { 0.0 };
    let heat = lines.all.iter().map(|own| Heat {
        range: own.range.clone(),
        share: share(own.tally.samples),
        is_stale: lines.age.is_some() || !own.is_current,
    });
    heat.filter(|heat| heat.share > 0.0).collect()
}
