//! What one instruction computes: the opcodes that are followed.

use super::lanes::Flags;
use crate::address::words::Relation;

/// An arithmetic instruction's work; its inputs in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Copy,
    /// Sums; `negated` says which inputs are subtracted, one bit each. Carries go out, and with `x` come in.
    Add {
        x: bool,
        negated: u8,
    },
    /// Sums of pairs.
    AddPairs {
        negated: u8,
    },
    Multiply {
        x: bool,
    },
    MultiplyHigh {
        signed: bool,
    },
    /// The same, plus a word and maybe a carry: Kepler's.
    MultiplyHighWord {
        signed: bool,
        x: bool,
    },
    MultiplyWide {
        signed: bool,
        x: bool,
    },
    /// `(a << by) + b`, with a carry.
    ShiftAdd {
        by: u32,
        negated: bool,
    },
    /// The upper half of `((c:a) << by) + (b:0)`: `c` is the third input, or the sign of `a`.
    ShiftAddHigh {
        by: u32,
        extended: bool,
        x: bool,
    },
    FunnelShift {
        left: bool,
        high: bool,
        wraps: bool,
        wide: bool,
        signed: bool,
    },
    ShiftLeft {
        wraps: bool,
    },
    ShiftRight {
        signed: bool,
        wraps: bool,
    },
    Logic {
        table: u8,
    },
    Compare {
        condition: Condition,
        signed: bool,
        combine: Combine,
        extended: bool,
    },
    CompareFloats {
        condition: Condition,
        unordered: bool,
        combine: Combine,
    },
    Predicates {
        first: u8,
        second: u8,
    },
    PredicatePair {
        first: Combine,
        second: Combine,
    },
    Select,
    LeastGreatest {
        signed: bool,
    },
    LeastGreatestFloat,
    Magnitude,
    Permute,
    SignExtend {
        wraps: bool,
        signed: bool,
    },
    BitMask {
        wraps: bool,
    },
    ExtractBits {
        signed: bool,
    },
    InsertBits,
    CountBits,
    HighestBit {
        signed: bool,
        shifts: bool,
    },
    ReverseBits,
    ToFloat {
        signed: bool,
        up: bool,
    },
    ToInteger {
        signed: bool,
        truncates: bool,
    },
    FloatAdd,
    FloatMultiply,
    FloatMultiplyAdd,
    Special(Function),
    /// `FCHK`: whether a division needs the slow path.
    CheckDivision,
    Shuffle(Shuffle),
    Vote(Vote),
    Ballot,
    Elect,
    /// Products of 16-bit halves (Maxwell, Pascal).
    HalfProduct {
        shifts: bool,
        merges: bool,
        addend: HalfAddend,
    },
    PackPredicates {
        mask: u32,
    },
    UnpackPredicates {
        mask: u32,
    },
}

/// What a comparison asks of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Holds(Relation),
    /// Floats that are both numbers, or not.
    Numbers,
    NotNumbers,
    Never,
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combine {
    And,
    Or,
    Xor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Reciprocal,
    ReciprocalRoot,
    Root,
    Exponential,
    Logarithm,
    Sine,
    Cosine,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shuffle {
    Index,
    Up,
    Down,
    Butterfly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vote {
    All,
    Any,
    Equal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HalfAddend {
    Whole,
    Low,
    High,
    /// All of it, and the second factor's lower half shifted up.
    WithFactor,
}

impl Condition {
    pub(super) fn of<T: PartialOrd + Copy>(self, a: T, b: T) -> bool {
        match self {
            Self::Holds(relation) => relation.holds(a, b),
            Self::Numbers | Self::Always => true,
            Self::NotNumbers | Self::Never => false,
        }
    }

    /// Where one is no number, an unordered relation holds and an ordered one does not.
    pub(super) fn of_floats(self, a: f32, b: f32, unordered: bool) -> bool {
        match self {
            Self::Numbers => !a.is_nan() && !b.is_nan(),
            Self::NotNumbers => a.is_nan() || b.is_nan(),
            _ if a.is_nan() || b.is_nan() => unordered,
            _ => self.of(a, b),
        }
    }

    /// The same without equality.
    pub(super) fn strict(self) -> Self {
        match self {
            Self::Holds(relation) => Self::Holds(relation.strict()),
            other => other,
        }
    }
}

impl Combine {
    pub(super) fn of(self, a: Flags, b: Flags) -> Flags {
        match self {
            Self::And => a.and(b),
            Self::Or => a.or(b),
            Self::Xor => a.xor(b),
        }
    }
}
