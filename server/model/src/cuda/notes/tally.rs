//! Counters of executed statements, branches and barriers.

use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::values::per_lane::LANES;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A branch or a loop with a condition that may differ between lanes. Counts are summed over the warps that
/// were run.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Source position of the condition.
    pub place: SourceSpan,
    /// Byte ranges of the code for a true condition and of the code for a false condition; `None` for loops.
    pub sides: Option<[Range<u32>; 2]>,
    /// Number of executions by warps; for a loop, number of iterations.
    pub passed: f64,
    /// Number of executions in which the lanes of a warp diverge; for a loop, iterations that only some lanes
    /// execute.
    pub diverged: f64,
    /// Lanes that execute the branch, summed over executions. `taken` counts the lanes for which the
    /// condition holds.
    pub lanes: f64,
    pub taken: f64,
    /// Number of warps whose lanes diverge at least once.
    pub warps: u64,
    /// True if all 32 lanes are active in every execution and the condition alternates every few lanes.
    pub is_alternating: bool,
}

/// A block barrier. `passed` is the number of executions: a sum over all warps in `Tally`, an average per
/// warp in the result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Barrier {
    /// Source position of the call.
    pub place: SourceSpan,
    pub passed: f64,
    /// True if the barrier is in a loop with an unknown trip count. `passed` is then a lower bound.
    pub is_lower_bound: bool,
}

/// Counters of a kernel run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Number of executed statements whose active lanes are known. `lanes` is the sum of their active lanes.
    pub(super) statements: f64,
    pub(super) lanes: f64,
    /// Number of executed statements whose active lanes are unknown.
    pub(super) unknown: f64,
    /// True if a loop was run whose trip count is unknown and may differ between lanes.
    pub(super) is_open: bool,
    pub branches: Vec<Branch>,
    pub barriers: Vec<Barrier>,
    at: FxHashMap<SourceSpan, u32>,
    /// Indices of the branches at which the running warp has diverged.
    pub(super) parted: Vec<u32>,
}

/// Snapshot of the counters. The difference between two snapshots is the count for a loop iteration.
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

    /// Adds the difference between two snapshots to the counters, multiplied by `times`.
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

    /// Average fraction of active lanes over the statements whose active lanes are known. `None` if too many
    /// statements have unknown lanes, or if the trip count of a loop is unknown and may differ between lanes.
    pub(crate) fn efficiency(&self) -> Option<f64> {
        // limit: ratio of statements with unknown lanes to other statements, above which the average is not
        // representative.
        const MAX_UNKNOWN: f64 = 0.1;
        let is_known = !self.is_open && self.unknown <= self.statements * MAX_UNKNOWN;
        (self.statements > 0.0 && is_known).then(|| self.lanes / (self.statements * LANES as f64))
    }

    /// Returns the number of executions of each barrier so far.
    pub(super) fn barrier_counts(&self) -> Vec<f64> {
        self.barriers.iter().map(|barrier| barrier.passed).collect()
    }

    /// Marks the counts of some barriers as lower bounds: those that were executed since `since` was returned by
    /// [`Self::barrier_counts`].
    pub(super) fn barriers_go_on(&mut self, since: &[f64]) {
        for (at, barrier) in self.barriers.iter_mut().enumerate() {
            barrier.is_lower_bound |= barrier.passed > since.get(at).copied().unwrap_or_default();
        }
    }

    /// Returns the index of a branch; adds the branch if it is new.
    pub(super) fn branch(&mut self, place: SourceSpan, sides: Option<[Range<u32>; 2]>) -> usize {
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
