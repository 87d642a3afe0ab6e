//! Integer divisions in loops by divisors that are unknown at compile time.

use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::values::lanes::Lanes;
use rustc_hash::FxHashMap;

/// An integer division in a loop, with a divisor that comes from the launch or from memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    pub place: SourceSpan,
    /// True for `%`, false for `/`.
    pub is_remainder: bool,
    pub bytes: u8,
    pub is_signed: bool,
    /// Dividend and divisor as normalised text; `None` if the operands contain more than operators, names and
    /// integers.
    pub operands: Option<(String, String)>,
}

impl Division {
    /// True if `self` is a remainder and `other` is the quotient of the same operands. The remainder then
    /// costs only a multiplication and a subtraction.
    fn is_remainder_of(&self, other: &Self) -> bool {
        self.is_remainder
            && !other.is_remainder
            && self.operands.is_some()
            && self.operands == other.operands
            && (self.place.item, self.bytes, self.is_signed)
                == (other.place.item, other.bytes, other.is_signed)
    }
}

/// Executed divisions by source position.
#[derive(Default)]
pub(crate) struct Divisions {
    pub(super) met: FxHashMap<SourceSpan, DivisionState>,
}

impl Divisions {
    /// Returns the divisions whose operands change between iterations, ordered by item and byte offset. A
    /// remainder is omitted if the quotient of the same operands is also computed.
    pub(crate) fn into_divisions(self) -> Vec<Division> {
        let each = |met| match met {
            DivisionState::Each(division) => Some(division),
            DivisionState::Once | DivisionState::Last(_) => None,
        };
        let mut divisions: Vec<Division> = self.met.into_values().filter_map(each).collect();
        let quotients: Vec<Division> =
            divisions.iter().filter(|division| !division.is_remainder).cloned().collect();
        divisions.retain(|division| !quotients.iter().any(|quotient| division.is_remainder_of(quotient)));
        divisions.sort_by_key(|division| division.place);
        divisions
    }
}

/// State of an executed division.
pub(super) enum DivisionState {
    /// The compiler may hoist the division out of the loop.
    Once,
    /// Dividend and divisor of the last execution. The division is in a function that a loop calls.
    Last(Box<(Lanes, Lanes)>),
    Each(Division),
}
