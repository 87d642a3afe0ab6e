//! Records of warp execution: accesses, branches, barriers, divisions, constants and loads in loops.
//!
//! [`Notes`] has one method per kind of event. Each kind of record is in a separate file.

mod barriers;
mod counting;
mod dividing;
pub(crate) mod divisions;
mod double_constants;
mod invariants;
mod loop_text;
mod requests;
pub(crate) mod tally;
pub(crate) mod uses;
pub(crate) mod watch;

use crate::cuda::source::launch::FoundLaunch;
use crate::cuda::source::types::Type;
use crate::cuda::state::WarpState;
use crate::cuda::values::lanes::Truth;
use crate::cuda::values::value::{MemoryRegion, Pointer, Value};
use crate::requests::SharedKind;
use barriers::Barriers;
use divisions::Divisions;
use double_constants::DoubleConstants;
use machine::MemorySpace;
use std::ops::Range;
use syntax::cuda::{BinaryOp, Expr, Loop};
use tally::{Tally, TallyCounters};
use uses::{AccessKind, Counters, Site, Uses};
use watch::Watches;

/// Records of the warps of a launch that have been run so far.
#[derive(Default)]
pub(crate) struct Notes<'a> {
    pub uses: Uses,
    pub tally: Tally,
    pub barriers: Barriers,
    pub double_constants: DoubleConstants,
    /// Integer divisions in loops by divisors that are unknown at compile time.
    pub divisions: Divisions,
    pub watches: Watches<'a>,
    /// Launches in executed host code.
    pub launches: Vec<FoundLaunch>,
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

    /// Records an access in the running loops, and discards the held values that a write invalidates. Returns
    /// the memory space of the access; `None` if the access is not counted.
    pub(crate) fn begin_access(
        &mut self,
        warp: &WarpState<'a>,
        pointer: &Pointer,
        kind: AccessKind,
        range: &Range<u32>,
    ) -> Option<MemorySpace> {
        let space = match pointer.place {
            MemoryRegion::Shared => MemorySpace::Shared,
            MemoryRegion::Parameter(_) | MemoryRegion::Global(_) | MemoryRegion::Unknown => {
                MemorySpace::Global
            }
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
        truth: Truth,
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

    /// Records a loop with an unknown trip count per lane.
    pub(crate) fn open_loop(&mut self, warp: &WarpState<'a>) {
        self.tally.count_open_loop(warp);
    }

    /// Begins an iteration of the innermost loop, before its condition is evaluated.
    pub(crate) fn begin_trip(&mut self, warp: &WarpState<'a>) {
        self.watches.begin_trip(warp.active());
    }

    /// Records that the active lanes execute the current iteration. `entered` is the mask of the lanes that
    /// entered the loop. No lane is active at the end of the loop.
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
}
