//! Operations that the execution models.

use super::lanes::Flags;
use crate::address::words::Relation;

/// Operation of an instruction. Inputs are in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Copy,
    /// Copies the first active lane's value to all lanes, and finds the lanes that have another value.
    First,
    /// Copies of up to four words, such as the words of a constant load.
    CopyAll,
    /// Sum of words. `negated` has a bit for each subtracted input. The sum sets its carry-outs, and adds
    /// carry-ins if `x`.
    Add {
        x: bool,
        negated: u8,
    },
    /// `((a + b) >> 16) + c`, where the first sum keeps its carry (Maxwell, Pascal).
    AddShifted,
    /// Sum of register pairs.
    AddPairs {
        negated: u8,
    },
    Multiply(Product),
    MultiplyHigh(Product),
    /// The high word of a product, plus a word and, if `x`, a carry (Kepler).
    MultiplyHighWord(Product),
    MultiplyWide(Product),
    /// `(a << by) + b`, with a carry out.
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
    FunnelShift(FunnelShift),
    ShiftLeft(Shift),
    ShiftRight(Shift),
    /// Bitwise function of three words, as a truth table.
    Logic(u8),
    Compare(Comparison),
    /// `DSETP.MIN`, `DSETP.MAX`. The first predicate is true if the first input is the minimum or maximum. The
    /// second predicate is true if the second input is NaN.
    ChooseDoubles {
        least: bool,
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
    SelectPairs,
    MinMax(MinMax),
    LeastGreatestPairs {
        signed: bool,
    },
    /// The smallest or largest of two or three floats.
    LeastGreatestFloat {
        three: bool,
        flushes: bool,
    },
    LeastGreatestDouble,
    /// Sums of 16-bit halves.
    AddHalves,
    /// `|a - b| + c`.
    Distance {
        signed: bool,
    },
    /// Sum of the products of packed bytes or halves, plus a word.
    DotProduct(DotProduct),
    Magnitude,
    Permute,
    SignExtend(Shift),
    BitMask(Shift),
    ExtractBits(Shift),
    InsertBits,
    CountBits,
    HighestBit {
        signed: bool,
        shifts: bool,
    },
    ReverseBits,
    /// Conversion of an integer of `bits` bits to a float of 32 or 64 bits.
    ToFloat {
        bits: u8,
        signed: bool,
        round: Round,
        double: bool,
    },
    /// Conversion of a float of 32 or 64 bits to an integer of 32 or 64 bits.
    ToInteger {
        signed: bool,
        wide: bool,
        double: bool,
        round: Round,
        flushes: bool,
    },
    FloatAdd(Float),
    FloatMultiply(Float),
    FloatMultiplyAdd(Float),
    RoundFloat {
        round: Round,
        flushes: bool,
    },
    RoundDouble(Round),
    FloatToDouble,
    DoubleToFloat,
    DoubleAdd(Round),
    DoubleMultiply(Round),
    DoubleMultiplyAdd(Round),
    Special(Function),
    /// Upper word of a function of a 64-bit float, computed from the upper word of the input.
    SpecialDouble(Function),
    /// `FCHK`: a predicate that is true if a division needs the slow path.
    CheckDivision,
    Shuffle(Shuffle),
    Vote(Vote),
    /// The mask of lanes whose predicate is true, and the vote.
    Ballot(Vote),
    Elect,
    /// A reduction of the active lanes' values to a single value.
    Reduce(Reduce),
    /// The mask of lanes whose value equals the lane's own value. Values have 64 bits if `wide`.
    Match {
        all: bool,
        wide: bool,
    },
    /// Products of 16-bit halves (Maxwell, Pascal).
    HalfProduct {
        shifts: bool,
        merges: bool,
        addend: HalfAddend,
    },
    /// Packs the predicates that a mask selects into the bits of a word.
    PackPredicates(u32),
    UnpackPredicates(u32),
}

/// A product of integers. If `x`, a carry is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Product {
    pub signed: bool,
    pub x: bool,
}

/// A shift, or an operation whose bit width is read like a shift count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    pub signed: bool,
    /// True if shift counts are modulo 32.
    pub wraps: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "the modifiers of one opcode")]
pub(super) struct FunnelShift {
    pub left: bool,
    pub high: bool,
    pub wraps: bool,
    pub wide: bool,
    pub signed: bool,
}

/// A comparison, joined with a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comparison {
    pub condition: Condition,
    pub of: Comparands,
    pub combine: Combine,
}

/// Type of the numbers that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparands {
    Words { signed: bool, extended: bool },
    Pairs { signed: bool },
    Floats { unordered: bool, flushes: bool },
    Doubles { unordered: bool },
}

/// Condition that a comparison tests on two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Holds(Relation),
    /// True if neither float is a NaN.
    Numbers,
    /// True if at least one float is a NaN.
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

/// Rounding mode of a floating-point result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    Nearest,
    Down,
    Up,
    Zero,
}

/// Rounding, flushing and saturation of a floating-point operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Float {
    pub round: Round,
    /// True if subnormal inputs and results become zero.
    pub flushes: bool,
    /// True if results are clamped to the range 0 to 1.
    pub saturates: bool,
}

impl Float {
    /// True if results are rounded to nearest and not clamped.
    pub(super) fn is_nearest(self) -> bool {
        self.round == Round::Nearest && !self.saturates
    }
}

/// A minimum or maximum of two integers, of three integers, or of a sum and a third integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MinMax {
    pub of: Compared,
    pub signed: bool,
    /// True for two 16-bit numbers in each register.
    pub halves: bool,
    /// True if negative results become zero.
    pub rectifies: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    Two,
    Three,
    SumAndOne,
}

/// `IDP`: four bytes by four bytes, or two halves by two bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DotProduct {
    pub four: bool,
    /// True if a two-way dot product uses the upper bytes of the second factor.
    pub upper: bool,
    pub signed: [bool; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reduce {
    And,
    Or,
    Xor,
    Sum,
    Least { signed: bool },
    Greatest { signed: bool },
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
    /// The complete addend, plus the second factor's lower half shifted left by 16.
    WithFactor,
}

impl Condition {
    pub(super) fn holds<T: PartialOrd + Copy>(self, a: T, b: T) -> bool {
        match self {
            Self::Holds(relation) => relation.holds(a, b),
            Self::Numbers | Self::Always => true,
            Self::NotNumbers | Self::Never => false,
        }
    }

    /// Compares two floats. If either float is NaN, an unordered relation is true and an ordered relation is
    /// false.
    pub(super) fn of_floats<T: PartialOrd + Copy>(self, a: T, b: T, unordered: bool) -> bool {
        let is_number = a.partial_cmp(&b).is_some();
        match self {
            Self::Numbers => is_number,
            Self::NotNumbers => !is_number,
            Self::Never => false,
            Self::Always => true,
            Self::Holds(_) if !is_number => unordered,
            Self::Holds(relation) => relation.holds(a, b),
        }
    }

    /// Returns the condition without equality: `<=` becomes `<`.
    pub(super) fn strict(self) -> Self {
        match self {
            Self::Holds(relation) => Self::Holds(relation.strict()),
            other => other,
        }
    }
}

impl Combine {
    pub(super) fn apply(self, a: Flags, b: Flags) -> Flags {
        match self {
            Self::And => a.and(b),
            Self::Or => a.or(b),
            Self::Xor => a.xor(b),
        }
    }
}

impl Kind {
    /// True if all inputs are register pairs.
    pub(super) fn reads_pairs(self) -> bool {
        match self {
            Self::ChooseDoubles { .. } | Self::DoubleToFloat => true,
            Self::Compare(Comparison { of, .. }) => {
                matches!(of, Comparands::Pairs { .. } | Comparands::Doubles { .. })
            }
            Self::ToInteger { double, .. } => double,
            Self::ToFloat { bits, .. } => bits == 64,
            Self::Match { wide, .. } => wide,
            other => other.is_of_pairs(),
        }
    }

    /// True if inputs and result are register pairs.
    fn is_of_pairs(self) -> bool {
        matches!(
            self,
            Self::AddPairs { .. }
                | Self::SelectPairs
                | Self::LeastGreatestPairs { .. }
                | Self::LeastGreatestDouble
                | Self::RoundDouble(_)
                | Self::DoubleAdd(_)
                | Self::DoubleMultiply(_)
                | Self::DoubleMultiplyAdd(_)
        )
    }

    /// True if the result is a register pair.
    pub(super) fn writes_pair(self) -> bool {
        match self {
            Self::MultiplyWide(_) | Self::FloatToDouble => true,
            Self::ToFloat { double, .. } => double,
            Self::ToInteger { wide, .. } => wide,
            other => other.is_of_pairs(),
        }
    }

    /// Returns the number of predicates that the operation computes. Other predicates that the instruction
    /// writes become unknown.
    pub(super) fn predicates(self) -> usize {
        match self {
            Self::Add { .. }
            | Self::MultiplyWide(_)
            | Self::ShiftAdd { .. }
            | Self::Compare(_)
            | Self::ChooseDoubles { .. }
            | Self::Predicates { .. }
            | Self::PredicatePair { .. } => 2,
            Self::Multiply(Product { x: false, .. })
            | Self::MultiplyHigh(_)
            | Self::Logic(_)
            | Self::CheckDivision
            | Self::Shuffle(_)
            | Self::Vote(_)
            | Self::Ballot(_)
            | Self::Elect
            | Self::First
            | Self::Match { all: true, .. } => 1,
            _ => 0,
        }
    }

    /// True if a lane's result depends on the set of active lanes.
    pub(super) fn is_across(self) -> bool {
        matches!(
            self,
            Self::Shuffle(_)
                | Self::Vote(_)
                | Self::Ballot(_)
                | Self::Elect
                | Self::Reduce(_)
                | Self::Match { .. }
        )
    }
}
