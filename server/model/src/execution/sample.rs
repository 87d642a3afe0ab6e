//! Chooses the warps that represent a launch.

use crate::Launch;
use crate::address::WarpThreads;

/// Step whose multiples modulo 1 are evenly distributed. It is irrational, so samples do not repeat with the period of a
/// grid dimension.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9; // Source: the golden ratio less one

/// Returns the block of sample `index` of `count`, and the warp's index in that block. Samples are in order
/// if all warps are sampled. Otherwise warp indices rotate, and blocks are spread over the grid, beginning
/// with the first.
pub(crate) fn sampled(index: u64, count: u64, blocks: u64, per_block: u64) -> (u64, u64) {
    if count == blocks.saturating_mul(per_block) {
        return (index / per_block, index % per_block);
    }
    let block = ((index as f64 * GOLDEN_RATIO).fract() * blocks as f64) as u64;
    (block.min(blocks - 1), index % per_block)
}

/// Returns the position of a warp in the grid; blocks are numbered along x first.
pub(crate) fn place_of(launch: &Launch, block: u64, warp: u32) -> WarpThreads {
    let [x, y, _] = launch.grid.map(|size| u64::from(size.max(1)));
    let ctaid = [(block % x) as u32, (block / x % y) as u32, (block / x / y) as u32];
    WarpThreads { block: launch.block, warp, ctaid }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_warps_are_all_taken_and_of_many_blocks_from_everywhere() {
        let all: Vec<_> = (0..6).map(|index| sampled(index, 6, 3, 2)).collect();
        assert_eq!(all, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
        let some: Vec<_> = (0..8).map(|index| sampled(index, 8, 800, 4)).collect();
        assert_eq!(some[0], (0, 0));
        let eighths: std::collections::BTreeSet<u64> = some.iter().map(|(block, _)| block / 100).collect();
        assert!(eighths.len() >= 6, "{some:?}");
        assert!(some.iter().zip(0..).all(|((_, warp), index)| *warp == index % 4));
    }
}
