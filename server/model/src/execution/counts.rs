//! Counts of a launch by instruction, as its warps go by them.

use super::spread::Spread;
use super::way::DivergenceCounts;
use rustc_hash::FxHashMap;

/// Counts by instruction.
#[derive(Debug, Clone, Default)]
pub(super) struct LaunchCounts {
    /// Instructions that divide warps.
    pub ways: Vec<Option<DivergenceCounts>>,
    /// The launch, as it is stated, leads other ways there than were counted.
    pub differs: Vec<bool>,
    /// Passes through the banks of shared memory for each request, where the addresses do not say them.
    pub wavefronts: Vec<Option<f64>>,
    /// Accesses to global memory of which sectors were counted.
    pub has_sectors: Vec<bool>,
    /// Places of accesses at addresses that memory decides.
    pub spreads: FxHashMap<u32, Spread>,
    /// Lines of the arrays in which lanes are anywhere, by the arrays' addresses.
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
