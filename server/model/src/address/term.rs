//! Integer operations other than sums, and their results for given numbers or ranges.

use super::words::{AND, Relation, combined};

/// An operation on up to three 32-bit values, except where noted. A 32-bit result is represented as an unsigned
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// Combines three values bit by bit by a truth table, in the numbering of `LOP3`.
    Lut(u8),
    /// [`Self::Lut`] for predicates: inputs and result are 0 or 1.
    PredicateLut(u8),
    /// Shifts right. A shift amount of 32 or more leaves 0, or copies of the sign bit if `signed`.
    ShiftRight {
        signed: bool,
    },
    ShiftLeft,
    Multiply,
    MultiplyHigh {
        signed: bool,
    },
    Least {
        signed: bool,
    },
    Greatest {
        signed: bool,
    },
    /// Selects the second argument if the first is not 0, otherwise the third.
    Select,
    /// 1 if the relation is true, otherwise 0.
    Compare {
        relation: Relation,
        signed: bool,
    },
    /// Extends 32 bits to 64.
    Extend {
        signed: bool,
    },
    /// The low 64 bits of the product of two 64-bit values.
    MultiplyWide,
}

/// The low 32 bits as a signed or an unsigned number.
pub(super) fn read32(value: i64, signed: bool) -> i64 {
    if signed { i64::from(value as i32) } else { i64::from(value as u32) }
}

impl Op {
    /// True if the result has 64 bits.
    pub(super) fn is_wide(self) -> bool {
        matches!(self, Self::Extend { .. } | Self::MultiplyWide)
    }

    pub(super) fn apply(self, [a, b, c]: [i64; 3]) -> i64 {
        let bits = |value: i64| u64::from(value as u32);
        match self {
            Self::Lut(table) => i64::from(combined(table, a as u32, b as u32, c as u32)),
            Self::PredicateLut(table) => {
                let all = |value: i64| if value == 0 { 0 } else { u32::MAX };
                i64::from(combined(table, all(a), all(b), all(c)) & 1)
            }
            Self::ShiftRight { signed } => {
                let by = bits(b).min(63) as u32;
                i64::from((read32(a, signed) >> by) as u32)
            }
            Self::ShiftLeft => i64::from(
                u32::try_from(bits(b)).map_or(0, |by| (bits(a) as u32).checked_shl(by).unwrap_or(0)),
            ),
            Self::Multiply => i64::from((a as u32).wrapping_mul(b as u32)),
            Self::MultiplyHigh { signed: true } => {
                i64::from(((read32(a, true) * read32(b, true)) >> 32) as u32)
            }
            Self::MultiplyHigh { signed: false } => (bits(a).wrapping_mul(bits(b)) >> 32) as i64,
            Self::Least { signed } => bits(read32(a, signed).min(read32(b, signed))) as i64,
            Self::Greatest { signed } => bits(read32(a, signed).max(read32(b, signed))) as i64,
            Self::Select => bits(if a == 0 { c } else { b }) as i64,
            Self::Compare { relation, signed } => {
                i64::from(relation.holds(read32(a, signed), read32(b, signed)))
            }
            Self::Extend { signed } => read32(a, signed),
            Self::MultiplyWide => a.wrapping_mul(b),
        }
    }

    /// Least and greatest possible result, given the ranges of the arguments; `None` for an arbitrary 64-bit result.
    pub(super) fn range(self, ranges: [Option<(i64, i64)>; 3]) -> Option<(i64, i64)> {
        let most = i64::from(u32::MAX);
        // Arguments are taken modulo 2^32, so a range is only used if it fits in 32 bits.
        let [a, b, _] =
            ranges.map(|range| range.filter(|range| 0 <= range.0 && range.1 <= most).unwrap_or((0, most)));
        match self {
            Self::PredicateLut(_) | Self::Compare { .. } => Some((0, 1)),
            Self::Lut(AND) => Some((0, a.1.min(b.1))),
            Self::ShiftRight { signed } if !signed || a.1 <= i64::from(i32::MAX) => {
                Some((0, a.1 >> b.0.min(63)))
            }
            Self::Extend { signed: true } => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
            Self::MultiplyWide => None,
            _ => Some((0, most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_to_32_bits() {
        let cases: &[(Op, [i64; 3], i64)] = &[
            (Op::Lut(0xc0), [0xff, 0x1f, 0], 0x1f),
            (Op::Lut(0x3c), [5, 3, 9], 6),
            (Op::Lut(0xfc), [5, 2, 9], 7),
            (Op::Lut(0x96), [1, 1, 1], 1),
            (Op::PredicateLut(0x80), [1, 1, 0], 0),
            (Op::ShiftRight { signed: true }, [-8, 1, 0], 0xffff_fffc),
            (Op::ShiftRight { signed: false }, [-8, 40, 0], 0),
            (Op::ShiftLeft, [3, 31, 0], 0x8000_0000),
            (Op::ShiftLeft, [3, 32, 0], 0),
            (Op::Multiply, [-1, 3, 0], 0xffff_fffd),
            (Op::MultiplyHigh { signed: true }, [-1, 3, 0], 0xffff_ffff),
            (Op::MultiplyHigh { signed: false }, [-1, 3, 0], 2),
            (Op::Least { signed: true }, [-1, 3, 0], 0xffff_ffff),
            (Op::Least { signed: false }, [-1, 3, 0], 3),
            (Op::Select, [1, 5, 7], 5),
            (Op::Compare { relation: Relation::Less, signed: false }, [-1, 3, 0], 0),
            (Op::Compare { relation: Relation::Less, signed: true }, [-1, 3, 0], 1),
            (Op::Extend { signed: true }, [0xffff_ffff, 0, 0], -1),
            (Op::Extend { signed: false }, [-1, 0, 0], 0xffff_ffff),
        ];
        for &(op, arguments, expected) in cases {
            assert_eq!(op.apply(arguments), expected, "{op:?} {arguments:?}");
        }
    }
}
