//! Bounds on a register's value that a true comparison with a number implies.

use super::instruction::{Access, Guard, Register, RegisterFile};
use syntax::sass::{Chunk, Instruction, Token, TokenKind};

/// Signed range that contains a register's value if the first predicate that a comparison writes is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    pub low: i32,
    pub high: i32,
    /// True if the predicate is true for all values in the range, regardless of other predicates.
    pub is_exact: bool,
}

impl Bound {
    /// True if all values of `other` lie within this bound.
    pub const fn holds(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// True if some value lies within both bounds.
    pub const fn meets(self, other: Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

/// Number of operands of a comparison: two result predicates, the register, the number, and the predicate that `.AND`
/// combines with the result.
const OPERANDS: usize = 5; // Source: the encodings

/// Indices of the register and of the predicate among these operands.
const COMPARED: u8 = 2; // Source: the encodings
const JOINED: u8 = 4; // Source: the encodings

/// Returns the bound of a comparison such as `ISETP.GE.AND P0, PT, R2, 0x20, PT`. `None` for other
/// instructions and for comparisons of two registers.
pub(super) fn bound(chunk: &Chunk, instruction: &Instruction) -> Option<Bound> {
    if chunk.mnemonic(instruction) != "ISETP" {
        return None;
    }
    let mut modifiers = chunk.modifiers(instruction);
    let relation = modifiers.next()?;
    if modifiers.next() != Some("AND") || modifiers.next().is_some() {
        return None;
    }
    let operands: Vec<&[Token]> = chunk.operands(instruction).collect();
    let &[_, second, [register, flags @ ..], number, [joined]] = &operands[..] else { return None };
    // The register must be unmodified; `.reuse` does not change its value.
    if flags.iter().any(|flag| chunk.token_text(instruction.line, flag) != ".reuse") {
        return None;
    }
    let is_register = matches!(register.kind, TokenKind::Register | TokenKind::Name);
    let is_dropped = matches!(second, [token] if token.is_zero_register());
    if operands.len() != OPERANDS || !is_register || register.is_zero_register() || !is_dropped {
        return None;
    }
    let number = match number {
        [zero] if zero.is_zero_register() => 0,
        [number] if number.kind == TokenKind::Integer => number.value as i32,
        [minus, number] if minus.value == u32::from(b'-') && number.kind == TokenKind::Integer => {
            (number.value as i32).wrapping_neg()
        }
        _ => return None,
    };
    let (low, high) = match relation {
        "GE" => (number, i32::MAX),
        "GT" => (number.checked_add(1)?, i32::MAX),
        "LE" => (i32::MIN, number),
        "LT" => (i32::MIN, number.checked_sub(1)?),
        "EQ" => (number, number),
        _ => return None,
    };
    let is_exact = joined.kind == TokenKind::Predicate && joined.is_zero_register();
    Some(Bound { low, high, is_exact })
}

/// Returns the register that a comparison with a number compares. `reads` are the comparison's reads. `None` unless
/// the compared operand is a single general or named register.
pub(crate) fn compared(reads: &[Access]) -> Option<Register> {
    let mut of_operand = reads.iter().filter(|read| read.operand == Some(COMPARED));
    let register = of_operand.next()?.register;
    let is_value = matches!(register.file, RegisterFile::General | RegisterFile::Named);
    (is_value && of_operand.next().is_none()).then_some(register)
}

/// Returns the predicate that a comparison with a number combines with its result by `.AND`, as a guard; `None` for
/// `PT`. `reads` are the comparison's reads.
pub(crate) fn joined_with(reads: &[Access]) -> Option<Guard> {
    let read = reads.iter().find(|read| read.operand == Some(JOINED))?;
    Some(Guard { predicate: read.register, negated: false })
}
