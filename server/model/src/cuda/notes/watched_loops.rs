//! Running loops, with the loads and stores in their iterations.

use super::uses::Site;
use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::state::WarpState;
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::value::MemoryRegion;
use rustc_hash::FxHashMap;
use std::ops::Range;
use syntax::cuda::Loop;

/// A load whose addresses are the same in every iteration of its loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvariantLoad {
    /// Source position of the load.
    pub place: SourceSpan,
    /// Source position of the store or barrier in the loop that prevents hoisting of the load.
    pub kept_by: SourceSpan,
    pub is_kept_by_barrier: bool,
    /// Name of the kernel parameter that points to the array. `None` if the array is not a parameter, or if
    /// the loop is in a called function.
    pub parameter: Option<String>,
}

/// A running loop, with the accesses of its iterations so far.
pub(super) struct WatchedLoop<'a> {
    /// The loop; `None` for a loop with an unknown trip count.
    pub of: Option<&'a Loop>,
    /// Call depth: the number of running functions.
    pub depth: usize,
    pub trip: u32,
    pub lanes: u32,
    pub loads: Vec<LoopLoad>,
    pub stores: Vec<LoopStore>,
    /// First block barrier in the loop. `group_barrier` is the first barrier of a warp or of a thread group.
    pub block_barrier: Option<SourceSpan>,
    pub group_barrier: Option<SourceSpan>,
    /// True if the loop may write to any address.
    pub is_unclear: bool,
    /// True if the loop calls an unknown function.
    pub calls_unknown: bool,
}

/// A load in a loop.
pub(super) struct LoopLoad {
    pub site: Site,
    pub array: Array,
    pub active: u32,
    pub offset: Lanes,
    pub trips: u32,
    pub last: u32,
    pub is_same: bool,
}

/// A store in a loop.
pub(super) struct LoopStore {
    pub array: Array,
    pub place: SourceSpan,
}

/// A variable in memory, or the array that a parameter points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Array {
    At(MemoryRegion),
    /// A shared variable, identified by its byte offset.
    Shared(u64),
    Unknown,
}

/// Running loops, and the results for the loads in loops that have ended.
#[derive(Default)]
pub(crate) struct WatchedLoops<'a> {
    /// Running loops, innermost last.
    pub(super) running: Vec<WatchedLoop<'a>>,
    /// Result per load: `Some` if the load is invariant and the compiler leaves it in the loop, otherwise `None`.
    pub(super) verdicts: FxHashMap<Site, Option<InvariantLoad>>,
    /// Arrays in global memory that the kernel has written so far.
    pub(super) stored: Vec<MemoryRegion>,
}

impl<'a> WatchedLoops<'a> {
    /// Discards the running loops of the previous warp.
    pub(super) fn clear(&mut self) {
        self.running.clear();
    }

    /// Begins a loop. `depth` is the call depth.
    pub(super) fn begin(&mut self, of: Option<&'a Loop>, depth: usize) {
        self.running.push(WatchedLoop {
            of,
            depth,
            trip: 0,
            lanes: 0,
            loads: Vec::new(),
            stores: Vec::new(),
            block_barrier: None,
            group_barrier: None,
            is_unclear: false,
            calls_unknown: false,
        });
    }

    /// Iterates over the running loops of the function at a call depth.
    pub(super) fn loops_at(&self, depth: usize) -> impl Iterator<Item = &'a Loop> {
        self.running.iter().filter(move |watch| watch.depth == depth).filter_map(|watch| watch.of)
    }

    /// Begins an iteration of the innermost loop, before its condition is evaluated.
    pub(super) fn begin_trip(&mut self, lanes: u32) {
        if let Some(watch) = self.running.last_mut() {
            watch.trip += 1;
            watch.lanes = lanes;
        }
    }

    /// Sets the mask of the lanes that execute the current iteration. If the mask is 0, the loop has ended, and the
    /// iteration is not counted.
    pub(super) fn set_lanes(&mut self, lanes: u32) {
        if let Some(watch) = self.running.last_mut() {
            watch.lanes = lanes;
            watch.trip -= u32::from(lanes == 0 && watch.trip > 0);
        }
    }

    /// Records a barrier of the block or of a thread group.
    pub(super) fn barrier(&mut self, warp: &WarpState<'a>, range: &Range<u32>, is_of_block: bool) {
        if !warp.counts || self.running.is_empty() {
            return;
        }
        let place = warp.place(range);
        for watch in &mut self.running {
            let barrier = if is_of_block { &mut watch.block_barrier } else { &mut watch.group_barrier };
            barrier.get_or_insert(place);
        }
    }

    /// Records an operation that may write to any address.
    pub(super) fn unclear(&mut self) {
        self.running.iter_mut().for_each(|watch| watch.is_unclear = true);
    }

    /// Records a call of an unknown function.
    pub(super) fn unknown_call(&mut self) {
        self.running.iter_mut().for_each(|watch| watch.calls_unknown = true);
    }

    /// Returns the invariant loads, ordered by item and byte offset.
    pub(crate) fn into_loads(self) -> Vec<InvariantLoad> {
        let mut loads: Vec<InvariantLoad> = self.verdicts.into_values().flatten().collect();
        loads.sort_by_key(|load| load.place);
        loads
    }
}
