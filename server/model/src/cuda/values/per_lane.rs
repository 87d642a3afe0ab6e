//! One integer per lane of a warp, stored once if all lanes are equal.

use crate::requests::lanes_of;
pub(crate) use machine::units::LANES;
use std::ops::Index;
use std::sync::Arc;

/// One number per lane; cheap to clone and to move.
#[derive(Debug, Clone)]
pub(crate) enum PerLane {
    All(i64),
    Each(Arc<[i64; LANES]>),
}

impl Index<usize> for PerLane {
    type Output = i64;

    fn index(&self, lane: usize) -> &i64 {
        match self {
            Self::All(number) => number,
            Self::Each(numbers) => &numbers[lane],
        }
    }
}

impl From<[i64; LANES]> for PerLane {
    fn from(numbers: [i64; LANES]) -> Self {
        if numbers.iter().all(|number| *number == numbers[0]) {
            Self::All(numbers[0])
        } else {
            Self::Each(Arc::new(numbers))
        }
    }
}

/// Equality does not depend on the representation.
impl PartialEq for PerLane {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All(one), Self::All(other)) => one == other,
            (Self::Each(one), Self::Each(other)) => Arc::ptr_eq(one, other) || one == other,
            (Self::All(one), Self::Each(other)) | (Self::Each(other), Self::All(one)) => {
                other.iter().all(|other| other == one)
            }
        }
    }
}

impl PerLane {
    pub(crate) fn to_array(&self) -> [i64; LANES] {
        match self {
            Self::All(number) => [*number; LANES],
            Self::Each(numbers) => **numbers,
        }
    }

    /// Applies `f` to the number of each lane.
    pub(crate) fn map(&self, f: impl Fn(i64) -> i64) -> Self {
        match self {
            Self::All(number) => Self::All(f(*number)),
            Self::Each(numbers) => Self::Each(Arc::new(numbers.map(f))),
        }
    }

    /// Applies `f` to the numbers of `self` and `other`, lane by lane.
    pub(crate) fn with(&self, other: &Self, f: impl Fn(i64, i64) -> i64) -> Self {
        match (self, other) {
            (Self::All(one), Self::All(other)) => Self::All(f(*one, *other)),
            (Self::Each(one), Self::All(other)) => Self::Each(Arc::new(one.map(|one| f(one, *other)))),
            (Self::All(one), Self::Each(other)) => Self::Each(Arc::new(other.map(|other| f(*one, other)))),
            (Self::Each(one), Self::Each(other)) => {
                Self::Each(Arc::new(std::array::from_fn(|lane| f(one[lane], other[lane]))))
            }
        }
    }

    /// Replaces the numbers of the lanes in `mask` with the numbers of `new`.
    pub(crate) fn replaced(&self, mask: u32, new: &Self) -> Self {
        if mask == u32::MAX || self == new {
            return new.clone();
        }
        let mut numbers = self.to_array();
        for lane in lanes_of(mask) {
            numbers[lane] = new[lane];
        }
        numbers.into()
    }

    /// Returns the number that all lanes in `mask` share; `None` if the lanes differ or the mask is empty.
    pub(crate) fn shared(&self, mask: u32) -> Option<i64> {
        if mask == 0 {
            return None;
        }
        match self {
            Self::All(number) => Some(*number),
            Self::Each(numbers) => {
                let first = numbers[mask.trailing_zeros() as usize];
                lanes_of(mask).all(|lane| numbers[lane] == first).then_some(first)
            }
        }
    }

    /// Applies `f` to the numbers of `self` and `other`, lane by lane. Returns the mask of the lanes for which `f`
    /// returns true.
    pub(crate) fn holds(&self, other: &Self, f: impl Fn(i64, i64) -> bool) -> u32 {
        match (self, other) {
            (Self::All(one), Self::All(other)) => {
                if f(*one, *other) {
                    u32::MAX
                } else {
                    0
                }
            }
            _ => (0..LANES).fold(0, |holds, lane| holds | u32::from(f(self[lane], other[lane])) << lane),
        }
    }
}
