//! Counters of executed statements, branches and barriers.

use crate::cuda::source::place::Place;
use crate::cuda::values::per_lane::LANES;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A branch or a loop whose condition may differ between lanes. Counts are summed over the warps that were run.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The place of the condition.
    pub place: Place,
    /// Bytes of the code that runs if the condition holds, and of the code that runs if it fails; `None` for loops.
    pub sides: Option<[Range<u32>; 2]>,
    /// Executions of the branch by warps; for a loop, its iterations.
    pub passed: f64,
    /// Executions in which lanes of a warp diverge; for a loop, iterations before which some lanes have left.
    pub diverged: f64,
    /// Lanes that execute the branch, summed over executions. `taken` counts those for which the condition holds.
    pub lanes: f64,
    pub taken: f64,
    /// Warps in which lanes diverge.
    pub warps: u64,
    /// True if all warps are full and the condition alternates every few lanes.
    pub is_alternating: bool,
}

/// A block barrier, with the number of times that a warp executes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Barrier {
    /// The place of the call.
    pub place: Place,
    pub passed: f64,
    /// The barrier is in a loop with an unknown trip count, so `passed` is a lower bound.
    pub is_least: bool,
}

/// Counters of a run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Executed statements whose active lanes are known, and the sum of their active lanes.
    pub(super) statements: f64,
    pub(super) lanes: f64,
    /// Executed statements whose active lanes are unknown.
    pub(super) unknown: f64,
    /// A loop with an unknown trip count per lane was run.
    pub(super) is_open: bool,
    pub branches: Vec<Branch>,
    pub barriers: Vec<Barrier>,
    at: FxHashMap<Place, u32>,
    /// Branches at which the running warp has diverged.
    pub(super) parted: Vec<u32>,
}

/// Snapshot of the counters, from which the counts of a loop's trip are computed.
#[derive(Debug, Clone)]
pub(super) struct TallyCounters {
    all: [f64; 3],
    branches: Vec<[f64; 4]>,
    barriers: Vec<f64>,
}

impl Tally {
    /// Starts another warp.
    pub(super) fn begin_warp(&mut self) {
        self.parted.clear();
    }

    pub(super) fn counters(&self) -> TallyCounters {
        let branch = |of: &Branch| [of.passed, of.diverged, of.lanes, of.taken];
        TallyCounters {
            all: [self.statements, self.lanes, self.unknown],
            branches: self.branches.iter().map(branch).collect(),
            barriers: self.barrier_counts(),
        }
    }

    /// Adds the difference between two snapshots, multiplied by `times`.
    pub(super) fn repeat(&mut self, from: &TallyCounters, to: &TallyCounters, times: f64) {
        let added = |before: f64, after: f64| (after - before) * times;
        self.statements += added(from.all[0], to.all[0]);
        self.lanes += added(from.all[1], to.all[1]);
        self.unknown += added(from.all[2], to.all[2]);
        for (at, of) in self.branches.iter_mut().enumerate() {
            let Some(after) = to.branches.get(at) else { continue };
            let before = from.branches.get(at).copied().unwrap_or_default();
            of.passed += added(before[0], after[0]);
            of.diverged += added(before[1], after[1]);
            of.lanes += added(before[2], after[2]);
            of.taken += added(before[3], after[3]);
        }
        for (at, of) in self.barriers.iter_mut().enumerate() {
            let Some(after) = to.barriers.get(at) else { continue };
            of.passed += added(from.barriers.get(at).copied().unwrap_or_default(), *after);
        }
    }

    /// Average fraction of active lanes over the statements whose active lanes are known; `None` if those are too few.
    pub(crate) fn efficiency(&self) -> Option<f64> {
        // limit: ratio of statements with unknown lanes above which the average is not representative.
        const MOST_UNKNOWN: f64 = 0.1;
        let is_known = !self.is_open && self.unknown <= self.statements * MOST_UNKNOWN;
        (self.statements > 0.0 && is_known).then(|| self.lanes / (self.statements * LANES as f64))
    }

    /// Number of executions of each barrier so far.
    pub(super) fn barrier_counts(&self) -> Vec<f64> {
        self.barriers.iter().map(|barrier| barrier.passed).collect()
    }

    /// Marks the counts of barriers that were executed since `since` as lower bounds.
    pub(super) fn barriers_go_on(&mut self, since: &[f64]) {
        for (at, barrier) in self.barriers.iter_mut().enumerate() {
            barrier.is_least |= barrier.passed > since.get(at).copied().unwrap_or_default();
        }
    }

    /// The index of a branch, which is added if it is new.
    pub(super) fn branch(&mut self, place: Place, sides: Option<[Range<u32>; 2]>) -> usize {
        let next = self.branches.len() as u32;
        let at = *self.at.entry(place).or_insert(next);
        if at == next {
            self.branches.push(Branch {
                place,
                sides,
                passed: 0.0,
                diverged: 0.0,
                lanes: 0.0,
                taken: 0.0,
                warps: 0,
                is_alternating: true,
            });
        }
        at as usize
    }
}
