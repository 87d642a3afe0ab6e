//! Records of warp execution: accesses, branches, barriers, divisions, constants and loads in loops.
//!
//! [`Notes`] has one method per kind of event. Each kind of record is in a separate file. [`Run`] has the facts that
//! rules read. All public types of this module are exported by [`crate::cuda`].

mod barriers;
mod counting;
mod dividing;
mod divisions;
mod double_constants;
mod invariants;
mod loop_text;
mod requests;
mod tally;
pub(crate) mod uses;
mod watched_loops;

pub use divisions::Division;
pub use tally::{Barrier, Branch};
pub use uses::{AccessKind, Site, SiteUse};
pub use watched_loops::InvariantLoad;

use crate::cuda::source::launch::FoundLaunch;
use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::source::types::Type;
use crate::cuda::state::WarpState;
use crate::cuda::values::lanes::LaneCondition;
use crate::cuda::values::value::{MemoryRegion, Pointer, Value};
use crate::requests::SharedKind;
use barriers::Barriers;
use divisions::Divisions;
use double_constants::DoubleConstants;
use machine::MemorySpace;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, Loop};
use tally::{Tally, TallyCounters};
use uses::{Counters, Uses};
use watched_loops::WatchedLoops;

/// Records of the warps of a launch that have been run so far.
#[derive(Default)]
pub(crate) struct Notes<'a> {
    pub uses: Uses,
    pub tally: Tally,
    pub barriers: Barriers,
    pub double_constants: DoubleConstants,
    /// Integer divisions in loops by divisors that are unknown at compile time.
    pub divisions: Divisions,
    pub watches: WatchedLoops<'a>,
    /// Launches in executed host code.
    pub launches: Vec<FoundLaunch>,
}

/// Results of running the sampled warps of a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Accesses by source position, ordered by item and byte offset.
    pub uses: Vec<(Site, SiteUse)>,
    /// Requests of which it is unknown which lanes take part, counted as if all lanes did that may. Accesses are ordered
    /// as in `uses`, in which these requests are unknown.
    pub doubted_uses: Vec<(Site, SiteUse)>,
    /// Number of warps that were run. `all_warps` is the number of warps in the launch.
    pub warps: u64,
    pub all_warps: u64,
    /// False if the step limit stopped a warp before its end.
    pub is_whole: bool,
    /// Bytes of static shared memory per block.
    pub shared_bytes: u64,
    /// Average number of block barriers that a warp executes.
    pub barriers: f64,
    /// Block barriers, one per call in the source, ordered by item and byte offset.
    pub barriers_by_place: Vec<Barrier>,
    /// Branches and loops whose conditions differ between lanes of a warp, ordered by item and byte offset.
    pub divergent_branches: Vec<Branch>,
    /// Average fraction of active lanes over the statements whose active lanes are known. `None` if too many
    /// statements have unknown lanes, or if the trip count of a loop is unknown and may differ between lanes.
    pub warp_efficiency: Option<f64>,
    /// Barriers that only some of a warp's lanes reach.
    pub divergent_barriers: Vec<SourceSpan>,
    /// Double-precision constants that promote single-precision operations to double precision.
    pub double_constants: Vec<SourceSpan>,
    /// Calls of `__syncthreads` that a warp reaches with all its lanes.
    pub plain_barriers: Vec<SourceSpan>,
    /// Integer divisions in loops by divisors that are unknown at compile time, ordered by item and byte
    /// offset.
    pub divisions: Vec<Division>,
    /// Loads whose addresses are the same in every iteration of their loop, ordered by item and byte offset.
    pub invariant_loads: Vec<InvariantLoad>,
}

/// Snapshot of the counters. The difference between two snapshots is the count for a loop iteration.
pub(crate) struct Snapshot {
    uses: Counters,
    tally: TallyCounters,
}

impl<'a> Notes<'a> {
    /// Starts another warp. The counts are retained.
    pub(crate) fn begin_warp(&mut self) {
        self.watches.clear();
        self.divisions.begin_warp();
        self.tally.begin_warp();
        self.uses.release(None);
    }

    /// Records an access of the active lanes to the value that a pointer points to.
    pub(crate) fn access(
        &mut self,
        warp: &WarpState<'a>,
        pointer: &Pointer,
        kind: AccessKind,
        range: &Range<u32>,
    ) {
        if let Some(space) = self.begin_access(warp, pointer, kind, range) {
            self.uses.count(warp, Site { place: warp.place(range), kind }, space, pointer, None);
        }
    }

    /// Counts the requests of a fragment access after [`Self::begin_access`]. `parts` is `None` if the
    /// addresses are unknown.
    pub(crate) fn fragment_access(
        &mut self,
        warp: &WarpState<'a>,
        space: MemorySpace,
        pointer: &Pointer,
        site: Site,
        parts: Option<Vec<(Pointer, Option<SharedKind>)>>,
    ) {
        self.uses.at(site, space).is_fragment = true;
        match parts {
            None => self.uses.count_unknown(warp, site, space, pointer, false),
            Some(parts) => {
                for (moved, shared) in parts {
                    self.uses.count(warp, site, space, &moved, shared);
                }
            }
        }
    }

    /// Records an access in the running loops. A write also discards the loaded values that it may invalidate.
    /// Returns the memory space of the access; `None` if the access is not counted.
    pub(crate) fn begin_access(
        &mut self,
        warp: &WarpState<'a>,
        pointer: &Pointer,
        kind: AccessKind,
        range: &Range<u32>,
    ) -> Option<MemorySpace> {
        let space = match pointer.place {
            MemoryRegion::Shared => MemorySpace::Shared,
            MemoryRegion::Parameter(_)
            | MemoryRegion::Global(_)
            | MemoryRegion::Loaded(_)
            | MemoryRegion::Unknown => MemorySpace::Global,
            MemoryRegion::Constant | MemoryRegion::Local => return None,
        };
        if warp.active() == 0 || !warp.counts {
            return None;
        }
        self.watches.access(warp, pointer, kind, range);
        if kind != AccessKind::Load {
            self.uses.release(Some(space == MemorySpace::Shared));
        }
        Some(space)
    }

    /// Records a block barrier. `is_plain` is false for the variants of `__syncthreads()` that return a
    /// value.
    pub(crate) fn block_barrier(&mut self, warp: &WarpState<'a>, range: &Range<u32>, is_plain: bool) {
        self.uses.release(None);
        self.watches.barrier(warp, range, true);
        if warp.counts {
            self.tally.count_barrier(warp, range);
            self.barriers.note(warp, range, is_plain);
        }
    }

    /// Records a barrier of a warp or of a thread group.
    pub(crate) fn group_barrier(&mut self, warp: &WarpState<'a>, range: &Range<u32>) {
        self.uses.release(None);
        self.watches.barrier(warp, range, false);
    }

    /// Records a fence. Memory may contain writes of other threads after the fence.
    pub(crate) fn fence(&mut self) {
        self.uses.release(None);
        self.unclear();
    }

    /// Records an operation that may write to any address.
    pub(crate) fn unclear(&mut self) {
        self.watches.unclear();
    }

    /// Records a call of an unknown function.
    pub(crate) fn unknown_call(&mut self, arguments: &[Value]) {
        let is_pointer = |value: &Value| matches!(value.value_type(), Type::Pointer(_) | Type::Array(..));
        if arguments.iter().any(is_pointer) {
            self.unclear();
        }
        self.watches.unknown_call();
    }

    /// Records the operands of an operation or a comparison.
    pub(crate) fn operands(&mut self, warp: &WarpState<'a>, left: (&Expr, &Value), right: (&Expr, &Value)) {
        self.double_constants.note(warp, left, right);
    }

    /// Records an operation that may be an integer division.
    pub(crate) fn division(
        &mut self,
        warp: &WarpState<'a>,
        op: BinaryOp,
        left: (&'a Expr, &Value),
        right: (&'a Expr, &Value),
        range: &Range<u32>,
    ) {
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
            self.divisions.note(warp, &self.watches, op, left, right, range);
        }
    }

    pub(crate) fn statement(&mut self, warp: &WarpState<'a>) {
        self.tally.count_statement(warp);
    }

    /// Records a branch of the active lanes on a condition.
    pub(crate) fn branch(
        &mut self,
        warp: &WarpState<'a>,
        truth: LaneCondition,
        range: &Range<u32>,
        sides: Option<[Range<u32>; 2]>,
    ) {
        let entry = warp.active();
        self.tally.count_parting(warp, entry, entry & truth.holds, truth.unknown, range, sides);
    }

    /// Begins a loop. `of` is `None` if the trip count is unknown. Returns the number of executions of each
    /// barrier so far.
    pub(crate) fn begin_loop(&mut self, warp: &WarpState<'a>, of: Option<&'a Loop>) -> Vec<f64> {
        self.watches.begin(of, warp.frames.len());
        self.tally.barrier_counts()
    }

    /// Records a loop whose trip count is unknown and may differ between lanes.
    pub(crate) fn open_loop(&mut self, warp: &WarpState<'a>) {
        self.tally.count_open_loop(warp);
    }

    /// Begins an iteration of the innermost loop, before its condition is evaluated.
    pub(crate) fn begin_trip(&mut self, warp: &WarpState<'a>) {
        self.watches.begin_trip(warp.active());
    }

    /// Records that the active lanes execute the current iteration. `entered` is the mask of the lanes that entered
    /// the loop. If no lane is active, the condition has ended the loop.
    pub(crate) fn trip(&mut self, warp: &WarpState<'a>, entered: u32, range: &Range<u32>) {
        self.watches.set_lanes(warp.active());
        if warp.active() != 0 {
            self.tally.count_parting(warp, entered, warp.active(), 0, range, None);
        }
    }

    /// Ends the innermost loop. `begun` is the result of [`Self::begin_loop`]. `is_counted` is true if all
    /// iterations were counted.
    pub(crate) fn end_loop(&mut self, warp: &WarpState<'a>, begun: &[f64], is_counted: bool) {
        if !is_counted {
            self.tally.barriers_go_on(begun);
        }
        self.watches.end(warp);
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot { uses: self.uses.counters(), tally: self.tally.counters() }
    }

    /// Adds the difference between two snapshots to the counters, multiplied by `times`.
    pub(crate) fn repeat(&mut self, from: &Snapshot, to: &Snapshot, times: f64) {
        self.uses.repeat(&from.uses, &to.uses, times);
        self.tally.repeat(&from.tally, &to.tally, times);
    }

    /// Returns the results after `warps` warps. The caller sets `all_warps`, `is_whole` and `shared_bytes`, which
    /// have placeholder values.
    pub(crate) fn finish(self, warps: u64) -> Run {
        let mut uses = self.uses.all;
        uses.sort_by_key(|(site, _)| *site);
        let mut doubted_uses = self.uses.doubted.map_or_else(Vec::new, |doubted| doubted.all);
        doubted_uses.sort_by_key(|(site, _)| *site);
        let warp_efficiency = self.tally.efficiency();
        let mut divergent_branches = self.tally.branches;
        divergent_branches.retain(|branch| branch.diverged > 0.0);
        divergent_branches.sort_by_key(|branch| (branch.place.item, branch.place.start));
        let mut barriers_by_place = self.tally.barriers;
        for barrier in &mut barriers_by_place {
            barrier.passed /= warps.max(1) as f64;
        }
        barriers_by_place.sort_by_key(|barrier| (barrier.place.item, barrier.place.start));
        Run {
            uses,
            doubted_uses,
            warps,
            all_warps: warps,
            is_whole: true,
            shared_bytes: 0,
            barriers: barriers_by_place.iter().fold(0.0, |sum, barrier| sum + barrier.passed),
            barriers_by_place,
            divergent_branches,
            warp_efficiency,
            divergent_barriers: self.barriers.divergent,
            double_constants: self.double_constants.found,
            plain_barriers: self.barriers.plain,
            divisions: self.divisions.into_divisions(),
            invariant_loads: self.watches.into_loads(),
        }
    }
}

impl Run {
    /// Returns [`Self::doubted_uses`] or [`Self::uses`].
    pub fn uses_of(&self, is_doubted: bool) -> &[(Site, SiteUse)] {
        if is_doubted { &self.doubted_uses } else { &self.uses }
    }

    /// Returns the requests of an access as if all lanes took part that may. `None` if the access has no such requests,
    /// or also others.
    pub fn doubted(&self, site: Site) -> Option<&SiteUse> {
        let of = |all: &'_ [(Site, SiteUse)]| all.binary_search_by_key(&site, |(site, _)| *site).ok();
        let own = &self.uses[of(&self.uses)?].1;
        let doubted = &self.doubted_uses[of(&self.doubted_uses)?].1;
        (own.requests <= 0.0 && !own.has_unknown_address && doubted.requests > 0.0).then_some(doubted)
    }

    /// Average number of block barriers that a warp executes. `None` if a warp was stopped before its end, or
    /// if a barrier is in a loop with an unknown trip count.
    pub fn whole_barriers(&self) -> Option<f64> {
        let is_whole = self.is_whole && !self.barriers_by_place.iter().any(|barrier| barrier.is_lower_bound);
        is_whole.then_some(self.barriers)
    }

    /// Iterates over all source positions in the result. The caller updates them after items of the translation unit
    /// have moved.
    pub fn places_mut(&mut self) -> impl Iterator<Item = &mut SourceSpan> {
        // Without `..`, so that a new field cannot be forgotten.
        let Self {
            uses,
            doubted_uses,
            warps: _,
            all_warps: _,
            is_whole: _,
            shared_bytes: _,
            barriers: _,
            barriers_by_place,
            divergent_branches,
            warp_efficiency: _,
            divergent_barriers,
            double_constants,
            plain_barriers,
            divisions,
            invariant_loads,
        } = self;
        let uses = uses.iter_mut().chain(doubted_uses).map(|(site, _)| &mut site.place);
        uses.chain(divergent_barriers)
            .chain(plain_barriers)
            .chain(double_constants)
            .chain(divisions.iter_mut().map(|division| &mut division.place))
            .chain(barriers_by_place.iter_mut().map(|barrier| &mut barrier.place))
            .chain(divergent_branches.iter_mut().map(|branch| &mut branch.place))
            .chain(invariant_loads.iter_mut().flat_map(|load| [&mut load.place, &mut load.kept_by]))
    }
}
