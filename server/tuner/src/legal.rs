//! The search of the tilings that a GPU can run for a shape.

use crate::{Estimate, Problem};

/// limit: blocks of all tilings that are tried, as more only add to what the launch itself takes.
pub(crate) const MOST_BLOCKS: u64 = 1 << 20;
/// The least size of a block along an axis that is not of pixels, which sizes below it have too. Source: the values of both spaces.
const LEAST_BLOCK: u32 = 8;

/// Whether a block reaches less than twice over the edge of an axis.
pub(crate) fn is_near(block: u32, size: u32) -> bool {
    block < 2 * size.max(LEAST_BLOCK)
}

/// Calls `found` with all tilings of a problem that begin with these values and have an estimate. `accepts` sees the values that are chosen
/// so far and rules out what cannot be legal.
pub(crate) fn search<P: Problem>(
    problem: &P,
    beginning: &[u32],
    accepts: &dyn Fn(&[u32]) -> bool,
    estimate: &dyn Fn(&P::Tiling) -> Option<Estimate>,
    found: &mut dyn FnMut(P::Tiling, Estimate),
) {
    let mut keep = |values: &[u32]| {
        let tiling = P::tiling(values);
        if problem.fits(&tiling)
            && let Some(estimate) = estimate(&tiling)
        {
            found(tiling, estimate);
        }
    };
    P::SPACE.search_from(beginning, &mut |values| accepts(values), &mut keep);
}
