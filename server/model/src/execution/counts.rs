//! Measured counts of a launch by instruction, which determine the control flow of its warps.

use super::divergence::DivergenceCounts;
use super::spread::Spread;
use rustc_hash::FxHashMap;

/// Counts by instruction.
#[derive(Debug, Clone, Default)]
pub(super) struct LaunchCounts {
    /// Divergence of each instruction; `None` for an instruction that does not diverge or was not counted.
    pub ways: Vec<Option<DivergenceCounts>>,
    /// True for instructions whose measured divergence differs from the divergence derived without the counts.
    pub differs: Vec<bool>,
    /// Measured wavefronts per request to shared memory; `None` if the number derived from the addresses agrees.
    pub wavefronts: Vec<Option<f64>>,
    /// True for instructions whose sectors were counted.
    pub has_sectors: Vec<bool>,
    /// Estimated distribution of lanes, by instruction, for accesses at data-dependent addresses.
    pub spreads: FxHashMap<u32, Spread>,
    /// Number of lines of each array that lanes access at random, by the array's address.
    pub anywhere: FxHashMap<u64, u64>,
}

impl LaunchCounts {
    pub(super) fn way(&self, at: u32) -> Option<&DivergenceCounts> {
        self.ways.get(at as usize)?.as_ref()
    }

    pub(super) fn spread(&self, at: u32) -> Option<Spread> {
        self.spreads.get(&at).copied()
    }

    pub(super) fn differs(&self, at: u32) -> bool {
        self.differs.get(at as usize) == Some(&true)
    }
}
