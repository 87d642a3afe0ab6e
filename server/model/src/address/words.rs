//! Meanings of modifiers and truth tables of integer opcodes, for symbolic forms and for numbers.

/// Truth table of `a & b`; the third input is ignored. Bit `4 a + 2 b + c` of a table is the result for the input
/// bits a, b and c, so a table is the result for a = 0xf0, b = 0xcc and c = 0xaa. Source: PTX ISA, `lop3`.
pub(crate) const AND: u8 = 0xc0;
pub(crate) const OR: u8 = 0xfc; // Source: as above.
pub(crate) const XOR: u8 = 0x3c; // Source: as above.

/// Number of rows of a truth table. [`INPUT_BITS`] holds the value of each input's bit in a row number.
// Source: PTX ISA, `lop3`: three inputs.
const ROWS: u8 = 8;
pub(crate) const INPUT_BITS: [u8; 3] = [4, 2, 1];

/// The truth table that a modifier names, as in `LOP.AND` or `ISETP.LT.OR`.
pub(crate) fn table_named(modifier: &str) -> Option<u8> {
    match modifier {
        "AND" => Some(AND),
        "OR" => Some(OR),
        "XOR" => Some(XOR),
        _ => None,
    }
}

/// Applies a truth table to each bit of three words.
pub(crate) fn combined(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let pick = |row: u8, (value, bit): (u32, u8)| if row & bit == 0 { !value } else { value };
    let of_row =
        |row: u8| [a, b, c].into_iter().zip(INPUT_BITS).fold(u32::MAX, |all, it| all & pick(row, it));
    (0..ROWS).filter(|row| table >> row & 1 == 1).fold(0, |result, row| result | of_row(row))
}

/// True if the result of a truth table depends on an input. `bit` is the element of [`INPUT_BITS`] for the input.
pub(crate) fn matters(table: u8, bit: u8) -> bool {
    (0..ROWS).any(|row| (table >> row ^ table >> (row ^ bit)) & 1 == 1)
}

/// Relation that a comparison tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Relation {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    GreaterEqual,
    Greater,
}

impl Relation {
    pub(crate) fn of_modifier(modifier: &str) -> Option<Self> {
        Some(match modifier {
            "LT" => Self::Less,
            "LE" => Self::LessEqual,
            "EQ" => Self::Equal,
            "NE" => Self::NotEqual,
            "GE" => Self::GreaterEqual,
            "GT" => Self::Greater,
            _ => return None,
        })
    }

    pub(crate) fn holds<T: PartialOrd + Copy>(self, a: T, b: T) -> bool {
        match self {
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::GreaterEqual => a >= b,
            Self::Greater => a > b,
        }
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::GreaterEqual => Self::Less,
            Self::Greater => Self::LessEqual,
        }
    }

    /// The relation without equality: `<=` becomes `<`, `>=` becomes `>`; others are unchanged.
    pub(crate) fn strict(self) -> Self {
        match self {
            Self::LessEqual => Self::Less,
            Self::GreaterEqual => Self::Greater,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_numbered_as_lop3_numbers_them() {
        let (a, b, c) = (0xf0, 0xcc, 0xaa);
        for table in 0..=u8::MAX {
            assert_eq!(combined(table, a, b, c) & 0xff, u32::from(table));
        }
        assert_eq!(combined(AND, a, b, c) & 0xff, a & b);
        assert_eq!(combined(OR, a, b, c) & 0xff, a | b);
        assert_eq!(combined(XOR, a, b, c) & 0xff, a ^ b);
        assert_eq!(
            [AND, OR, XOR].map(|table| INPUT_BITS.map(|bit| matters(table, bit))),
            [[true, true, false]; 3]
        );
    }

    #[test]
    fn a_relation_holds_or_its_opposite_does() {
        for name in ["LT", "LE", "EQ", "NE", "GE", "GT"] {
            let relation = Relation::of_modifier(name).unwrap();
            for (a, b) in [(1, 2), (2, 2), (3, 2)] {
                assert_ne!(relation.holds(a, b), relation.negated().holds(a, b), "{name} {a} {b}");
                assert_eq!(
                    relation.strict().holds(a, b),
                    relation.holds(a, b) && (a != b || matches!(name, "EQ"))
                );
            }
        }
    }
}
