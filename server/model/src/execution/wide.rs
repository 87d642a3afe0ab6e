//! 64-bit numbers in register pairs.

use super::compute::Results;
use super::lanes::{Flags, Lanes, WARP};

/// A 64-bit number in each lane of a warp. The number of a lane may be unknown.
pub(super) struct Wide {
    values: [u64; WARP],
    known: u32,
}

impl Wide {
    pub(super) fn from_halves(low: &Lanes, high: &Lanes) -> Self {
        let value = |lane: usize| u64::from(high.values[lane]) << 32 | u64::from(low.values[lane]);
        Self { values: std::array::from_fn(value), known: low.known & high.known }
    }

    pub(super) fn try_from_fn(known: u32, value: impl Fn(usize) -> Option<u64>) -> Self {
        let mut result = Self { values: [0; WARP], known };
        for (lane, into) in result.values.iter_mut().enumerate() {
            match value(lane) {
                Some(value) => *into = value,
                None => result.known &= !(1 << lane),
            }
        }
        result
    }

    pub(super) fn try_map(&self, value: impl Fn(u64) -> Option<u64>) -> Self {
        Self::try_from_fn(self.known, |lane| value(self.values[lane]))
    }

    pub(super) fn zip(&self, other: &Self, value: impl Fn(u64, u64) -> u64) -> Self {
        Self::try_from_fn(self.known & other.known, |lane| Some(value(self.values[lane], other.values[lane])))
    }

    pub(super) fn try_zip3(&self, b: &Self, c: &Self, value: impl Fn(u64, u64, u64) -> Option<u64>) -> Self {
        let known = self.known & b.known & c.known;
        Self::try_from_fn(known, |lane| value(self.values[lane], b.values[lane], c.values[lane]))
    }

    /// Returns a predicate that is true in the lanes in which `holds` is true for the two values.
    pub(super) fn test(&self, other: &Self, holds: impl Fn(u64, u64) -> bool) -> Flags {
        let known = self.known & other.known;
        let values = (0..WARP)
            .fold(0, |values, lane| values | u32::from(holds(self.values[lane], other.values[lane])) << lane);
        Flags { values: values & known, known }
    }

    pub(super) fn value(&self, lane: usize) -> Option<u64> {
        (self.known >> lane & 1 == 1).then_some(self.values[lane])
    }

    pub(super) fn low(&self) -> Lanes {
        Lanes { values: self.values.map(|value| value as u32), known: self.known }
    }

    pub(super) fn product(a: &Lanes, b: &Lanes, signed: bool) -> Self {
        let mut values = [0; WARP];
        for (lane, into) in values.iter_mut().enumerate() {
            let (a, b) = (a.values[lane], b.values[lane]);
            *into = if signed {
                (i64::from(a.cast_signed()) * i64::from(b.cast_signed())).cast_unsigned()
            } else {
                u64::from(a) * u64::from(b)
            };
        }
        Self { values, known: a.known & b.known }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut sum = Self { values: self.values, known: self.known & other.known };
        for (sum, &other) in sum.values.iter_mut().zip(&other.values) {
            *sum = sum.wrapping_add(other);
        }
        sum
    }

    pub(super) fn plus_with_carry(&self, other: &Self) -> (Self, Flags) {
        let known = self.known & other.known;
        let mut sum = Self { values: [0; WARP], known };
        let mut carries = 0;
        for lane in 0..WARP {
            let (value, carry) = self.values[lane].overflowing_add(other.values[lane]);
            sum.values[lane] = value;
            carries |= u32::from(carry) << lane;
        }
        (sum, Flags { values: carries & known, known })
    }

    pub(super) fn sum(all: &[Self; 3], negated: u8) -> Self {
        let mut sum = Self { values: [0; WARP], known: u32::MAX };
        for (at, value) in all.iter().enumerate() {
            for lane in 0..WARP {
                let value = value.values[lane];
                let value = if negated >> at & 1 == 1 { value.wrapping_neg() } else { value };
                sum.values[lane] = sum.values[lane].wrapping_add(value);
            }
            sum.known &= value.known;
        }
        sum
    }

    pub(super) fn high(&self) -> Lanes {
        Lanes { values: self.values.map(|value| (value >> 32) as u32), known: self.known }
    }

    pub(super) fn results(&self) -> Results {
        Results { second: Some(self.high()), ..Results::from_value(self.low()) }
    }
}
