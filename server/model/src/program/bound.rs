//! Bounds on a register's value where the first result of its comparison with a number is true.

use super::instruction::{Access, Guard, Register, RegisterFile};
use syntax::sass::{Chunk, Instruction, Token, TokenKind};

/// A register's values, read as signed, where the first predicate that a comparison writes is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    pub low: i32,
    pub high: i32,
    /// The predicate is true for all of them: no other predicate has a say.
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

/// The operands of a comparison: two results, what is compared, with what, and what the comparison is joined with.
const OPERANDS: usize = 5; // Source: the encodings

/// Indices among them of the register, and of what the comparison is joined with.
const COMPARED: u8 = 2; // Source: the encodings
const JOINED: u8 = 4; // Source: the encodings

/// The bound of `ISETP.GE.AND P0, PT, R2, 0x20, PT`. `None` for other instructions and for comparisons with registers.
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
    // The register's value as it is; that its slot keeps it for the next says nothing.
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

/// The register that a comparison with a bound reads, among what it reads.
pub(crate) fn compared(reads: &[Access]) -> Option<Register> {
    let mut of_operand = reads.iter().filter(|read| read.operand == Some(COMPARED));
    let register = of_operand.next()?.register;
    let is_value = matches!(register.file, RegisterFile::General | RegisterFile::Named);
    (is_value && of_operand.next().is_none()).then_some(register)
}

/// The predicate that a comparison with a bound is joined with, as a guard, among what it reads; none where it is `PT`.
pub(crate) fn joined_with(reads: &[Access]) -> Option<Guard> {
    let read = reads.iter().find(|read| read.operand == Some(JOINED))?;
    Some(Guard { predicate: read.register, negated: false })
}
