//! Search for the tilings that a GPU can run for a shape.

use crate::{Estimate, Problem};

/// Maximum number of blocks in the grid of a tiling that is tried. limit: more blocks only add launch overhead.
pub(crate) const MAX_BLOCKS: u64 = 1 << 20;
/// Smallest size of a block along an axis, except pixel axes. Smaller outputs use this size too. Source: the
/// values of both spaces.
const MIN_BLOCK: u32 = 8;

/// True if a block is less than twice as large as the output along an axis.
pub(crate) fn is_near(block: u32, size: u32) -> bool {
    block < 2 * size.max(MIN_BLOCK)
}

/// Calls `found` with all tilings of a problem that begin with these values and have an estimate. `accepts`
/// receives the values chosen so far. It rejects values with which no legal tiling begins.
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
