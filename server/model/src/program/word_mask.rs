//! Words that a 256-bit access moves, by its mask.

use machine::RegisterCount;
use syntax::sass::{Token, TokenKind};

/// Words of 32 bits that a 256-bit access moves, in its lower and in its upper half.
///
/// Each half has an operand. The operand names as many consecutive registers as the mask has bits for its half:
/// `LDG.E.256 R6, R3, desc[UR4][R2.64], 0x32` writes R3, R6 and R7. Source: SASS that ptxas 13.5 generates for `sm_100`
/// from `ld` and `st` with `.v8.b32`, some of whose elements are `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordMask {
    lower: u8,
    upper: u8,
}

impl WordMask {
    /// All eight words, the default of an access without a mask.
    pub const ALL: Self = Self { lower: 4, upper: 4 };

    /// Reads the mask from the tokens of an instruction. The mask is the operand that is only a number.
    pub fn read(tokens: &[Token]) -> Self {
        let mask = tokens.windows(2).find_map(|pair| match pair {
            [comma, number] if comma.is_punct(b',') && number.kind == TokenKind::Integer => {
                Some(number.value)
            }
            _ => None,
        });
        mask.map_or(Self::ALL, |mask| Self {
            lower: (mask & 0xf).count_ones() as u8,
            upper: (mask >> 4 & 0xf).count_ones() as u8,
        })
    }

    /// Returns the number of registers for a count of lower or upper words; `None` for other counts.
    pub const fn registers(self, count: RegisterCount) -> Option<u8> {
        match count {
            RegisterCount::LowerWords => Some(self.lower),
            RegisterCount::UpperWords => Some(self.upper),
            _ => None,
        }
    }
}
