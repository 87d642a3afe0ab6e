//! Divisions of integers in loops by what the compiler cannot know.

use crate::cuda::source::place::Place;
use crate::cuda::values::lanes::Lanes;
use rustc_hash::FxHashMap;

/// A division of integers in a loop, whose divisor comes from the launch or from memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    pub place: Place,
    /// `%`, not `/`.
    pub is_remainder: bool,
    pub bytes: u8,
    pub is_signed: bool,
    /// Dividend and divisor as they are written, without blanks; `None` where they are more than names and numbers.
    pub operands: Option<(String, String)>,
}

impl Division {
    /// True where the other one is the quotient of the same numbers: the remainder then takes a product and a difference.
    fn is_remainder_of(&self, other: &Self) -> bool {
        self.is_remainder
            && !other.is_remainder
            && self.operands.is_some()
            && self.operands == other.operands
            && (self.place.item, self.bytes, self.is_signed)
                == (other.place.item, other.bytes, other.is_signed)
    }
}

/// Divisions that were met, by place.
#[derive(Default)]
pub(crate) struct Divisions {
    pub(super) met: FxHashMap<Place, Met>,
}

impl Divisions {
    /// The divisions of which each pass of a loop does another one, in the order of items and bytes; without remainders of numbers that
    /// are divided too.
    pub(crate) fn into_divisions(self) -> Vec<Division> {
        let each = |met| match met {
            Met::Each(division) => Some(division),
            Met::Once | Met::Last(_) => None,
        };
        let mut divisions: Vec<Division> = self.met.into_values().filter_map(each).collect();
        let quotients: Vec<Division> =
            divisions.iter().filter(|division| !division.is_remainder).cloned().collect();
        divisions.retain(|division| !quotients.iter().any(|quotient| division.is_remainder_of(quotient)));
        divisions.sort_by_key(|division| division.place);
        divisions
    }
}

/// A division that was met.
pub(super) enum Met {
    /// The compiler may do it once, in front of the loop.
    Once,
    /// In a function that a loop calls: what was divided by what, last.
    Last(Box<(Lanes, Lanes)>),
    Each(Division),
}
