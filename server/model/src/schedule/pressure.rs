//! Register pressure of a section while list scheduling fills it.

use super::register_accesses::RegisterAccesses;
use crate::{Register, RegisterFile};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::ops::Range;

/// The general registers that are live after the instructions issued so far.
pub(super) struct Pressure<'a> {
    accesses: &'a RegisterAccesses,
    /// Maximum number of live registers to aim at.
    limit: u32,
    live: FxHashSet<u32>,
    /// Instructions of the section that are still to read a register.
    readers: FxHashMap<u32, u32>,
    /// Registers that are live after the section.
    kept: FxHashSet<u32>,
}

impl<'a> Pressure<'a> {
    /// The state at the start of a section of one block. `before` and `after` are the registers that are live there and
    /// at the end of the section.
    pub(super) fn new(
        accesses: &'a RegisterAccesses,
        section: Range<u32>,
        before: &[Register],
        after: &[Register],
        limit: u32,
    ) -> Self {
        let general = |registers: &[Register]| -> FxHashSet<u32> {
            let general = registers.iter().filter(|register| register.file == RegisterFile::General);
            general.filter_map(|&register| accesses.number(register)).collect()
        };
        let mut readers = FxHashMap::default();
        for inst in section {
            for &register in accesses.reads(inst) {
                *readers.entry(register).or_default() += 1;
            }
        }
        Self { accesses, limit, live: general(before), readers, kept: general(after) }
    }

    /// Number by which the live registers grow if an instruction issues.
    fn growth(&self, inst: u32) -> i32 {
        let is_general = |register: &&u32| self.is_general(**register);
        let born = self.accesses.writes(inst).iter().filter(is_general);
        let born = born.filter(|register| !self.live.contains(register)).count() as i32;
        let dead = self.accesses.reads(inst).iter().filter(is_general);
        let dead = dead.filter(|register| self.is_last_read(**register) && self.live.contains(register));
        born - dead.filter(|register| !self.accesses.writes(inst).contains(register)).count() as i32
    }

    /// Returns the index in `ready` of the node to issue next: of the nodes for which the registers suffice, one that can
    /// issue by `first`, or else the earliest; without such nodes, the node that needs the fewest additional registers.
    /// `start` is the instruction of node 0, `can` returns the first cycle in which a node can issue, and nodes of higher
    /// `rank` are preferred.
    pub(super) fn choose<R: Ord>(
        &self,
        ready: &[u32],
        start: u32,
        first: i64,
        can: &impl Fn(u32) -> i64,
        rank: &impl Fn(u32) -> R,
    ) -> Option<usize> {
        let growth = |at: usize| self.growth(start + ready[at]);
        let fits = |&at: &usize| {
            let growth = growth(at);
            growth <= 0 || self.live.len() as i32 + growth <= self.limit as i32
        };
        let fitting: Vec<usize> = (0..ready.len()).filter(fits).collect();
        let now = fitting.iter().copied().filter(|&at| can(ready[at]) <= first);
        now.max_by_key(|&at| rank(ready[at]))
            .or_else(|| fitting.into_iter().min_by_key(|&at| (can(ready[at]), Reverse(rank(ready[at])))))
            .or_else(|| (0..ready.len()).min_by_key(|&at| (growth(at), Reverse(rank(ready[at])))))
    }

    /// Updates the state for an instruction that issues.
    pub(super) fn issue(&mut self, inst: u32) {
        for &register in self.accesses.reads(inst) {
            let left = self.readers.entry(register).or_default();
            *left = left.saturating_sub(1);
            if *left == 0 && !self.kept.contains(&register) {
                self.live.remove(&register);
            }
        }
        for &register in self.accesses.writes(inst) {
            if self.is_general(register)
                && (self.kept.contains(&register)
                    || self.readers.get(&register).is_some_and(|&left| left > 0))
            {
                self.live.insert(register);
            }
        }
    }

    fn is_last_read(&self, register: u32) -> bool {
        !self.kept.contains(&register) && self.readers.get(&register).is_some_and(|&left| left <= 1)
    }

    fn is_general(&self, register: u32) -> bool {
        self.accesses.registers()[register as usize].file == RegisterFile::General
    }
}
