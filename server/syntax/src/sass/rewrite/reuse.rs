//! `.reuse` marks after operands, and the corresponding reuse flags of the control code.

use crate::sass::{Encoding, Token, TokenKind};
use std::ops::Range;

/// Modifier that keeps an operand in the reuse cache for the next instruction.
const REUSE: &str = ".reuse";

/// The operand slots (0 to 3 for a to d) of an instruction's operands, in text order; `None` for results and
/// predicates.
///
/// `slots` lists the slots of the instruction's sources, `abc` for most opcodes. Source: the encodings of
/// compiler output, which agree for every flag (3,100 instructions of sm_70 to sm_120).
pub(in crate::sass) fn operand_slots<'t>(
    mnemonic: &str,
    slots: &str,
    operands: impl Iterator<Item = &'t [Token]>,
) -> Vec<Option<u8>> {
    let mut slots = slots.bytes().map(|slot| slot.wrapping_sub(b'a') & 3);
    // Comparisons have only predicates as results.
    let mut has_result = !mnemonic.ends_with("SETP") && !mnemonic.ends_with("CHK");
    operands
        .map(|operand| {
            if is_predicate(operand) {
                return None;
            }
            if has_result {
                has_result = false;
                return None;
            }
            slots.next()
        })
        .collect()
}

/// Reuse flags of the operands marked `.reuse` in the text, one bit per slot.
pub(in crate::sass) fn marked<'t>(
    operands: impl Iterator<Item = &'t [Token]>,
    slots: &[Option<u8>],
    line: &str,
) -> u8 {
    let marked = operands.zip(slots).filter(|(operand, _)| mark(operand, line).is_some());
    marked.filter_map(|(_, slot)| *slot).fold(0, |mask, slot| mask | 1 << slot)
}

/// The edits of a line that leave `.reuse` on exactly the operands of these slots, and the flags of the marked slots.
/// Slots whose operand cannot be marked are skipped.
pub(super) fn edits<'t>(
    operands: impl Iterator<Item = &'t [Token]>,
    slots: &[Option<u8>],
    line: &str,
    wanted: u8,
    encoding: Option<Encoding>,
) -> (Vec<(Range<usize>, &'static str)>, u8) {
    let mut edits = Vec::new();
    let mut put = 0;
    for (operand, slot) in operands.zip(slots) {
        let bit = slot.map_or(0, |slot| 1 << slot & wanted);
        let place = if bit == 0 { None } else { place(operand, encoding) };
        match (mark(operand, line), place) {
            (Some(_), Some(_)) => put |= bit,
            (None, Some(at)) => {
                put |= bit;
                edits.push((at..at, REUSE));
            }
            (Some(mark), None) => edits.push((mark, "")),
            (None, None) => {}
        }
    }
    (edits, put)
}

fn mark(operand: &[Token], line: &str) -> Option<Range<usize>> {
    let token =
        operand.iter().find(|token| token.kind == TokenKind::Modifier && token.text(line) == REUSE)?;
    Some(token.start as usize..token.end())
}

fn is_predicate(operand: &[Token]) -> bool {
    let of = |kinds: &[TokenKind]| operand.iter().any(|token| kinds.contains(&token.kind));
    of(&[TokenKind::Predicate, TokenKind::UniformPredicate, TokenKind::StateRegister])
        && !of(&[TokenKind::Register])
}

/// Returns the position of `.reuse`: after `|R1|`, after `R1.H1` up to Pascal, and directly after the
/// register from Volta on. `None` if the operand is not a general register.
fn place(operand: &[Token], encoding: Option<Encoding>) -> Option<usize> {
    let plain = operand.iter().position(|token| !(token.is_punct(b'-') || token.is_punct(b'~')))?;
    let (register, is_absolute) = match &operand[plain..] {
        [bar, ..] if bar.is_punct(b'|') => (plain + 1, true),
        _ => (plain, false),
    };
    let token = operand.get(register)?;
    let is_register = token.kind == TokenKind::Register && !token.is_zero_register();
    let is_named = token.kind == TokenKind::Name
        && operand[register + 1..].iter().all(|token| token.kind == TokenKind::Modifier);
    if !(is_register || is_named) {
        return None;
    }
    if is_absolute {
        let bar = operand[register..].iter().find(|token| token.is_punct(b'|'))?;
        return Some(bar.end());
    }
    if encoding == Some(Encoding::Volta) {
        return Some(token.end());
    }
    let modifiers =
        operand[register + 1..].iter().take_while(|token| token.kind == TokenKind::Modifier).count();
    Some(operand[register + modifiers].end())
}
