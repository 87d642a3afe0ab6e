//! Counts of what warps pass: statements, branches, barriers.

use super::interpreter::Interpreter;
use crate::cuda::notes::tally::Barrier;
use crate::cuda::values::lanes::Truth;
use std::ops::Range;

/// Changes from lane to lane, of the 31 that there are, with which a condition alternates: parity has all of them, every fourth lane 15.
const LEAST_CHANGES: u32 = 15;

impl Interpreter<'_> {
    /// Counts a statement of the active lanes.
    pub(super) fn count_statement(&mut self) {
        if !self.counts || self.indices.is_none() {
            return;
        }
        if self.doubt & self.active == 0 {
            self.tally.statements += 1.0;
            self.tally.lanes += f64::from(self.active.count_ones());
        } else {
            self.tally.unknown += 1.0;
        }
    }

    /// Notes a loop whose trip count in each lane is unknown.
    pub(super) fn count_open_loop(&mut self) {
        self.tally.is_open |= self.counts;
    }

    /// Counts a branch on a condition of which all is known.
    pub(super) fn count_branch(&mut self, truth: Truth, range: &Range<u32>, sides: Option<[Range<u32>; 2]>) {
        let entry = self.active;
        self.count_parting(entry, entry & truth.holds, truth.unknown, range, sides);
    }

    /// Counts a pass of a loop that lanes entered and active ones make.
    pub(super) fn count_pass(&mut self, entered: u32, range: &Range<u32>) {
        self.count_parting(entered, self.active, 0, range, None);
    }

    fn count_parting(
        &mut self,
        entry: u32,
        taken: u32,
        unknown: u32,
        range: &Range<u32>,
        sides: Option<[Range<u32>; 2]>,
    ) {
        if !self.counts || self.indices.is_none() || (self.doubt | unknown) & entry != 0 || entry == 0 {
            return;
        }
        let place = (self.item(), self.used_at.clone().unwrap_or_else(|| range.clone()));
        let at = self.tally.branch(place, sides);
        let parts = taken != 0 && taken != entry;
        let of = &mut self.tally.branches[at];
        of.passed += 1.0;
        of.lanes += f64::from(entry.count_ones());
        of.taken += f64::from(taken.count_ones());
        let changes = ((taken ^ taken >> 1) & u32::MAX >> 1).count_ones();
        of.is_alternating &= entry == u32::MAX && changes >= LEAST_CHANGES;
        if parts {
            of.diverged += 1.0;
            let at = at as u32;
            if !self.tally.parted.contains(&at) {
                self.tally.parted.push(at);
                self.tally.branches[at as usize].warps += 1;
            }
        }
    }

    /// Counts a barrier of the block.
    pub(super) fn count_barrier(&mut self, range: &Range<u32>) {
        let place = (self.item(), self.used_at.clone().unwrap_or_else(|| range.clone()));
        match self.tally.barriers.iter_mut().find(|known| known.place == place) {
            Some(known) => known.passed += 1.0,
            None => self.tally.barriers.push(Barrier { place, passed: 1.0, is_least: false }),
        }
    }
}
