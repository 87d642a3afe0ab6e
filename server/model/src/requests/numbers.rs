//! One number per lane in a fixed-size array. The array needs no allocation, and the compiler vectorizes the
//! loops.

use super::{LANES, Request, lanes_of};

/// At most one number per lane, in lane order.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaneNumbers {
    /// Only the first `count` elements are valid.
    all: [u64; LANES],
    count: usize,
}

impl LaneNumbers {
    /// Returns the addresses of the lanes in the mask `lanes`.
    pub(super) fn from_lanes(request: &Request, lanes: u32) -> Self {
        if lanes == u32::MAX {
            return Self { all: request.addresses, count: LANES };
        }
        let mut all = [0; LANES];
        let mut count = 0;
        for lane in lanes_of(lanes) {
            all[count] = request.addresses[lane];
            count += 1;
        }
        Self { all, count }
    }

    pub(super) fn as_slice(&self) -> &[u64] {
        &self.all[..self.count]
    }

    pub(super) fn len(&self) -> u32 {
        self.count as u32
    }

    pub(super) fn map(mut self, of: impl Fn(u64) -> u64) -> Self {
        // Invalid elements are mapped too: the compiler vectorizes a fixed trip count.
        for number in &mut self.all {
            *number = of(*number);
        }
        self
    }

    /// Keeps only the first number.
    pub(super) fn first(mut self) -> Self {
        self.count = self.count.min(1);
        self
    }

    /// Removes duplicates. The order of the result is unspecified.
    pub(super) fn distinct(mut self) -> Self {
        if !is_monotone(self.as_slice()) {
            if let Some(near) = self.near() {
                return near;
            }
            self.all[..self.count].sort_unstable();
        }
        self.without_repeats()
    }

    /// Drops each number that equals the following number.
    pub(super) fn without_repeats(mut self) -> Self {
        let Some(last) = self.as_slice().last().copied() else { return self };
        let mut kept = 0;
        for at in 0..self.count - 1 {
            let number = self.all[at];
            // The store is unconditional: a branch would cost more.
            self.all[kept % LANES] = number;
            kept += usize::from(self.all[at + 1] != number);
        }
        self.all[kept % LANES] = last;
        self.count = kept + 1;
        self
    }

    /// Returns the distinct numbers in ascending order, found with a 128-bit set. `None` if the numbers span
    /// more than 128 values or if there are no numbers.
    fn near(mut self) -> Option<Self> {
        let least = self.as_slice().iter().copied().min()?;
        let mut bits = 0_u128;
        for number in self.as_slice() {
            bits |= 1_u128.checked_shl(u32::try_from(number - least).ok()?)?;
        }
        self.count = 0;
        while bits != 0 {
            self.all[self.count] = least + u64::from(bits.trailing_zeros());
            self.count += 1;
            bits &= bits - 1;
        }
        Some(self)
    }
}

/// Returns the mask of the bits in which the numbers differ.
pub(super) fn varying_bits(numbers: &[u64]) -> u64 {
    let first = numbers.first().copied().unwrap_or(0);
    numbers.iter().fold(0, |bits, number| bits | (number ^ first))
}

/// Returns the difference between adjacent numbers, modulo 2^64. `None` if the differences are not all equal,
/// or for fewer than two numbers.
pub(super) fn step(numbers: &[u64]) -> Option<u64> {
    let [first, second, ..] = *numbers else { return None };
    let step = second.wrapping_sub(first);
    let off = neighbours(numbers).fold(0, |off, (a, b)| off | (b.wrapping_sub(a) ^ step));
    (off == 0).then_some(step)
}

/// True if the numbers are non-decreasing or non-increasing. Always false if any number is 2^63 or larger.
pub(super) fn is_monotone(numbers: &[u64]) -> bool {
    let signs = |(up, down), (a, b): (u64, u64)| (up | b.wrapping_sub(a), down | a.wrapping_sub(b));
    let (falls, rises) = neighbours(numbers).fold((0, 0), signs);
    let large = numbers.iter().fold(0, |all, number| all | number);
    (large >> 63 == 0) && (falls >> 63 == 0 || rises >> 63 == 0)
}

/// Counts the adjacent pairs of unequal numbers.
pub(super) fn changes(numbers: &[u64]) -> u32 {
    neighbours(numbers).map(|(a, b)| u32::from(a != b)).sum()
}

fn neighbours(numbers: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    numbers.iter().copied().zip(numbers.iter().copied().skip(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn each_number_is_kept_once(
            active: u32,
            (spread, addresses) in (prop_oneof![Just(4_u64), Just(100), Just(1_000), Just(u64::MAX)], any::<[u64; 32]>()),
            order in 0..3,
        ) {
            let mut addresses = addresses.map(|number| number % spread);
            match order {
                0 => addresses.sort_unstable(),
                1 => addresses.sort_unstable_by_key(|&number| std::cmp::Reverse(number)),
                _ => {}
            }
            let numbers = LaneNumbers::from_lanes(&Request { active, addresses }, active);
            let expected: BTreeSet<u64> = lanes_of(active).map(|lane| addresses[lane]).collect();
            let found = numbers.distinct();
            prop_assert_eq!(found.as_slice().iter().copied().collect::<BTreeSet<_>>(), expected);
            prop_assert_eq!(found.as_slice().iter().collect::<BTreeSet<_>>().len(), found.as_slice().len());
        }
    }

    #[test]
    fn steps_are_the_same_or_none() {
        let of = |active: u32, address: fn(u64) -> u64| {
            let addresses = std::array::from_fn(|lane| address(lane as u64));
            LaneNumbers::from_lanes(&Request { active, addresses }, active)
        };
        assert_eq!(step(of(u32::MAX, |lane| 12 * lane + 3).as_slice()), Some(12));
        assert_eq!(step(of(u32::MAX, |lane| 400 - 12 * lane).as_slice()), Some(12_u64.wrapping_neg()));
        assert_eq!(step(of(0x5555, |lane| 12 * lane).as_slice()), Some(24));
        assert_eq!(step(of(0x5557, |lane| 12 * lane).as_slice()), None);
        assert_eq!(step(of(1, |lane| lane).as_slice()), None);
        assert_eq!(varying_bits(of(u32::MAX, |lane| 64 + lane % 4).as_slice()), 3);
        assert_eq!(changes(of(u32::MAX, |lane| lane / 4).as_slice()), 7);
        assert!(is_monotone(of(u32::MAX, |lane| lane / 4).as_slice()));
        assert!(is_monotone(of(u32::MAX, |lane| 40 - lane).as_slice()));
        assert!(!is_monotone(of(u32::MAX, |lane| lane % 31).as_slice()));
        assert!(!is_monotone(&[0, u64::MAX, 1]));
    }
}
