//! Integer divisions in loops by values that the compiler cannot know.

use crate::cuda::source::place::Place;
use crate::cuda::values::lanes::Lanes;
use rustc_hash::FxHashMap;

/// An integer division in a loop, whose divisor comes from the launch or from memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    pub place: Place,
    /// True for `%`, false for `/`.
    pub is_remainder: bool,
    pub bytes: u8,
    pub is_signed: bool,
    /// Dividend and divisor as normalised text; `None` if they contain more than operators, names and integers.
    pub operands: Option<(String, String)>,
}

impl Division {
    /// True if `other` is the quotient of the same numbers; the remainder then costs only a product and a difference.
    fn is_remainder_of(&self, other: &Self) -> bool {
        self.is_remainder
            && !other.is_remainder
            && self.operands.is_some()
            && self.operands == other.operands
            && (self.place.item, self.bytes, self.is_signed)
                == (other.place.item, other.bytes, other.is_signed)
    }
}

/// Divisions that were executed, by place.
#[derive(Default)]
pub(crate) struct Divisions {
    pub(super) met: FxHashMap<Place, Met>,
}

impl Divisions {
    /// The divisions whose operands change between iterations, ordered by item and byte offset. A remainder is omitted
    /// if the quotient of the same numbers is computed too.
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

/// State of a division that was executed.
pub(super) enum Met {
    /// The compiler may hoist it out of the loop.
    Once,
    /// The dividend and divisor of the last execution, in a function that a loop calls.
    Last(Box<(Lanes, Lanes)>),
    Each(Division),
}
