//! Block barriers that a warp reaches while diverged, and block barriers that a warp reaches with all its
//! lanes.

use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::state::WarpState;
use std::ops::Range;

/// Source positions of barriers, without duplicates.
#[derive(Debug, Default)]
pub(crate) struct Barriers {
    /// Barriers that only some of a warp's lanes reach.
    pub divergent: Vec<SourceSpan>,
    /// Calls of `__syncthreads` that a warp reaches with all its lanes.
    pub plain: Vec<SourceSpan>,
}

impl Barriers {
    pub(super) fn note(&mut self, warp: &WarpState<'_>, range: &Range<u32>, is_plain: bool) {
        let lanes = warp.lanes;
        let whole = lanes.whole() & !warp.frames.first().map_or(0, |frame| frame.returned);
        let is_whole = lanes.active() == whole;
        let noted = if !is_whole && lanes.unsure() == 0 {
            &mut self.divergent
        } else if is_whole && lanes.doubt() == 0 && warp.used_at.is_none() && is_plain {
            &mut self.plain
        } else {
            return;
        };
        let found = warp.place(range);
        if !noted.contains(&found) {
            noted.push(found);
        }
    }
}
