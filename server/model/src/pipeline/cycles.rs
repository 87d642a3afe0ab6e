//! A set of cycles near the current cycle.

/// Set of cycles in which a resource is taken: a register bank's port, a frozen issue slot. Old cycles can be dropped.
#[derive(Debug, Clone, Default)]
pub(super) struct Cycles {
    /// The cycle of the first bit; a multiple of 64.
    base: u64,
    words: Vec<u64>,
    /// The cycle after the last cycle that was ever inserted. This cycle and all later cycles are free, which answers
    /// most queries.
    end: u64,
}

impl Cycles {
    pub(super) fn contains(&self, cycle: u64) -> bool {
        if cycle >= self.end {
            return false;
        }
        let Some(at) = cycle.checked_sub(self.base) else { return false };
        self.words.get((at / 64) as usize).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Inserts a cycle, unless [`Self::forget`] has already dropped it.
    pub(super) fn insert(&mut self, cycle: u64) {
        if self.words.is_empty() {
            self.base = self.base.max(cycle / 64 * 64);
        }
        let Some(at) = cycle.checked_sub(self.base) else { return };
        let word = (at / 64) as usize;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (at % 64);
        self.end = self.end.max(cycle + 1);
    }

    pub(super) fn remove(&mut self, cycle: u64) {
        let Some(at) = cycle.checked_sub(self.base) else { return };
        if let Some(word) = self.words.get_mut((at / 64) as usize) {
            *word &= !(1 << (at % 64));
        }
    }

    /// Returns the first cycle from `cycle` on that is not in the set.
    pub(super) fn next_free(&self, cycle: u64) -> u64 {
        if cycle >= self.end {
            return cycle;
        }
        let Some(at) = cycle.checked_sub(self.base) else { return cycle };
        let mut word = (at / 64) as usize;
        let mut bit = at % 64;
        while let Some(&bits) = self.words.get(word) {
            let free = !bits >> bit;
            if free != 0 {
                return self.base + word as u64 * 64 + bit + u64::from(free.trailing_zeros());
            }
            word += 1;
            bit = 0;
        }
        cycle.max(self.base + word as u64 * 64)
    }

    /// Returns the cycle `count` cycles after `from`, not counting cycles in the set.
    pub(super) fn advance(&self, from: u64, count: u64) -> u64 {
        // Usually none of these cycles is in the set.
        if from >= self.end || count < 32 && self.window(from) & ((2 << count) - 1) == 0 {
            return from + count;
        }
        let mut cycle = self.next_free(from);
        for _ in 0..count {
            cycle = self.next_free(cycle + 1);
        }
        cycle
    }

    /// Returns the 64 cycles that start at `from` as a mask; the lowest bit is the first cycle.
    fn window(&self, from: u64) -> u64 {
        let Some(at) = from.checked_sub(self.base) else { return u64::MAX };
        let word = |index: u64| self.words.get(index as usize).copied().unwrap_or(0);
        let (index, bit) = (at / 64, at % 64);
        let low = word(index) >> bit;
        if bit == 0 { low } else { low | word(index + 1) << (64 - bit) }
    }

    /// Drops cycles before `before`; some of them may remain.
    pub(super) fn forget(&mut self, before: u64) {
        let old = (before.saturating_sub(self.base) / 64).min(self.words.len() as u64);
        self.words.drain(..old as usize);
        self.base += 64 * old;
    }
}

/// A cycle earlier than every simulated cycle.
pub(super) const NEVER: u64 = 0; // limit: before any simulated cycle

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_empty_set_begins_where_it_is_used() {
        let mut set = Cycles::default();
        set.insert(1_000_000);
        assert_eq!(set.words.len(), 1);
        assert_eq!(set.next_free(1_000_000), 1_000_001);
        set.forget(2_000_000);
        assert!(!set.contains(1_000_000));
        assert_eq!(set.next_free(5), 5);
    }

    proptest! {
        #[test]
        fn does_what_a_set_does(cycles in proptest::collection::vec(1000_u64..1400, 0..200), probe in 1000_u64..1500, count in 0_u64..20) {
            let mut set = Cycles::default();
            // The first inserted cycle decides where the set begins.
            set.insert(1000);
            let mut plain = BTreeSet::from([1000]);
            for &cycle in &cycles {
                set.insert(cycle);
                plain.insert(cycle);
            }
            if let Some(&first) = cycles.first() {
                set.remove(first);
                plain.remove(&first);
            }
            let next = |from: u64| (from..from + 1000).find(|cycle| !plain.contains(cycle)).unwrap();
            prop_assert_eq!(set.contains(probe), plain.contains(&probe));
            prop_assert_eq!(set.next_free(probe), next(probe));
            let expected = (0..count).fold(next(probe), |at, _| next(at + 1));
            prop_assert_eq!(set.advance(probe, count), expected);
        }
    }
}
