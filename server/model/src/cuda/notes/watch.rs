//! Loops that are running, and what their passes loaded and stored.

use super::uses::Site;
use crate::cuda::source::place::Place;
use crate::cuda::state::WarpState;
use crate::cuda::values::lanes::Lanes;
use crate::cuda::values::value::MemoryRegion;
use rustc_hash::FxHashMap;
use std::ops::Range;
use syntax::cuda::Loop;

/// A load that each pass of its loop makes anew from the same addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvariantLoad {
    /// The load.
    pub place: Place,
    /// A store or a barrier in the loop that keeps the load there.
    pub kept_by: Place,
    pub is_kept_by_barrier: bool,
    /// The parameter of the kernel that points to what is loaded.
    pub parameter: Option<String>,
}

/// A loop that is running, and what its passes did so far.
pub(super) struct Watch<'a> {
    /// `None` for a loop with an unknown trip count.
    pub of: Option<&'a Loop>,
    /// Functions that are running.
    pub depth: usize,
    pub trip: u32,
    pub lanes: u32,
    pub loads: Vec<Seen>,
    pub stores: Vec<Stored>,
    /// The first barrier of the block, and of a warp or a group of threads.
    pub block_barrier: Option<Place>,
    pub group_barrier: Option<Place>,
    /// It does something that may write anywhere.
    pub is_unclear: bool,
    /// It calls a function of which nothing is known, and passes it no pointer.
    pub calls_unknown: bool,
}

/// A load in a loop.
pub(super) struct Seen {
    pub site: Site,
    pub array: Array,
    pub active: u32,
    pub offset: Lanes,
    pub trips: u32,
    pub last: u32,
    pub is_same: bool,
}

/// A store in a loop.
pub(super) struct Stored {
    pub array: Array,
    pub place: Place,
}

/// A variable in memory, or what a parameter points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Array {
    At(MemoryRegion),
    /// A shared variable by where it starts.
    Shared(u64),
    Unknown,
}

/// Loops that are running, and what was found of loads in loops.
#[derive(Default)]
pub(crate) struct Watches<'a> {
    /// The innermost last.
    pub(super) running: Vec<Watch<'a>>,
    /// Loads that were found, and those that were seen to be none.
    pub(super) verdicts: FxHashMap<Site, Option<InvariantLoad>>,
    /// Arrays in global memory that were written.
    pub(super) stored: Vec<MemoryRegion>,
}

impl<'a> Watches<'a> {
    /// Ends all loops, as a warp ends.
    pub(super) fn clear(&mut self) {
        self.running.clear();
    }

    /// Begins a loop, within this many functions that are running.
    pub(super) fn begin(&mut self, of: Option<&'a Loop>, depth: usize) {
        self.running.push(Watch {
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

    /// The loops of the innermost function that are running.
    pub(super) fn loops_at(&self, depth: usize) -> impl Iterator<Item = &'a Loop> {
        self.running.iter().filter(move |watch| watch.depth == depth).filter_map(|watch| watch.of)
    }

    /// Begins a trip of the innermost loop, in front of its condition.
    pub(super) fn begin_trip(&mut self, lanes: u32) {
        if let Some(watch) = self.running.last_mut() {
            watch.trip += 1;
            watch.lanes = lanes;
        }
    }

    /// Notes which lanes make the trip that was begun: none where the loop ends.
    pub(super) fn set_lanes(&mut self, lanes: u32) {
        if let Some(watch) = self.running.last_mut() {
            watch.lanes = lanes;
            watch.trip -= u32::from(lanes == 0 && watch.trip > 0);
        }
    }

    /// Notes a barrier of the block, or of a group of its threads.
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

    /// Notes something that may write anywhere.
    pub(super) fn unclear(&mut self) {
        self.running.iter_mut().for_each(|watch| watch.is_unclear = true);
    }

    /// Notes a call of a function of which nothing is known.
    pub(super) fn unknown_call(&mut self) {
        self.running.iter_mut().for_each(|watch| watch.calls_unknown = true);
    }

    /// The loads that were found, in the order of items and bytes.
    pub(crate) fn into_loads(self) -> Vec<InvariantLoad> {
        let mut loads: Vec<InvariantLoad> = self.verdicts.into_values().flatten().collect();
        loads.sort_by_key(|load| load.place);
        loads
    }
}
