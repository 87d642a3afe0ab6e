//! Counts the statements, branches and barriers that warps execute.

use super::tally::{Barrier, Tally};
use crate::cuda::state::WarpState;
use std::ops::Range;

/// Minimum number of changes between adjacent lanes in an alternating condition. A condition on lane
/// parity has 31 changes, a condition on every fourth lane has 15.
const MIN_CHANGES: u32 = 15; // limit: see above

impl Tally {
    /// Counts a statement that the active lanes execute.
    pub(super) fn count_statement(&mut self, warp: &WarpState<'_>) {
        if !warp.counts || !warp.is_on_device() {
            return;
        }
        if warp.lanes.doubt() & warp.active() == 0 {
            self.statements += 1.0;
            self.lanes += f64::from(warp.active().count_ones());
        } else {
            self.unknown += 1.0;
        }
    }

    /// Records a loop whose trip count is unknown and may differ between lanes.
    pub(super) fn count_open_loop(&mut self, warp: &WarpState<'_>) {
        self.is_open |= warp.counts;
    }

    /// Counts an execution of a branch, or an iteration of a loop. `entry` is the mask of the lanes that
    /// reached the branch or entered the loop. `taken` is the mask of the lanes for which the condition
    /// holds.
    pub(super) fn count_parting(
        &mut self,
        warp: &WarpState<'_>,
        entry: u32,
        taken: u32,
        unknown: u32,
        range: &Range<u32>,
        sides: Option<[Range<u32>; 2]>,
    ) {
        if !warp.counts || !warp.is_on_device() || (warp.lanes.doubt() | unknown) & entry != 0 || entry == 0 {
            return;
        }
        let place = warp.place(range);
        let at = self.branch(place, sides);
        let parts = taken != 0 && taken != entry;
        let of = &mut self.branches[at];
        of.passed += 1.0;
        of.lanes += f64::from(entry.count_ones());
        of.taken += f64::from(taken.count_ones());
        let changes = ((taken ^ taken >> 1) & u32::MAX >> 1).count_ones();
        of.is_alternating &= entry == u32::MAX && changes >= MIN_CHANGES;
        if parts {
            of.diverged += 1.0;
            let at = at as u32;
            if !self.parted.contains(&at) {
                self.parted.push(at);
                self.branches[at as usize].warps += 1;
            }
        }
    }

    /// Counts a block barrier.
    pub(super) fn count_barrier(&mut self, warp: &WarpState<'_>, range: &Range<u32>) {
        let place = warp.place(range);
        match self.barriers.iter_mut().find(|known| known.place == place) {
            Some(known) => known.passed += 1.0,
            None => self.barriers.push(Barrier { place, passed: 1.0, is_lower_bound: false }),
        }
    }
}
