//! Equivalent instructions on another pipe, for use if an instruction's own pipe is busy.

use super::instruction::{self, Fragment};
use machine::ptx::{Alternative, Expansions, Name, Piece};

/// Prefix of an exponent in the table: `1<<` before an operand with value `n` denotes the number `2^n`.
const POWER: &str = "1<<";

/// Returns the text of the first alternative in the table for an instruction; the guard is not included. `None`
/// if the table has no alternative.
pub(super) fn instead(
    expansions: &Expansions,
    sm: u16,
    mnemonic: &str,
    operands: &[Vec<Fragment>],
) -> Option<Vec<Fragment>> {
    expansions.instead_of(mnemonic, sm).find_map(|row| written(row, operands))
}

fn written(row: &Alternative, operands: &[Vec<Fragment>]) -> Option<Vec<Fragment>> {
    if row.of.operands.len() != operands.len() {
        return None;
    }
    let mut bound: Vec<(Name, &[Fragment])> = Vec::with_capacity(operands.len());
    for (pattern, operand) in row.of.operands.iter().zip(operands) {
        match (&**pattern, &operand[..]) {
            ([Piece::Slot(slot)], own) if fits(slot.name, own) => bound.push((slot.name, own)),
            ([Piece::Text(text)], [Fragment::Text(own)]) if text == own => {}
            _ => return None,
        }
    }
    let operands: Option<Vec<Vec<Fragment>>> =
        row.instead.operands.iter().map(|operand| filled(operand, &bound)).collect();
    Some(instruction::written(&row.instead.mnemonic, &operands?))
}

/// Returns an operand of the table after replacing its names by the bound operands.
fn filled(operand: &[Piece], bound: &[(Name, &[Fragment])]) -> Option<Vec<Fragment>> {
    let mut pieces = Vec::new();
    for piece in operand {
        match piece {
            Piece::Text(text) => pieces.push(Fragment::Text(text.clone())),
            Piece::Slot(slot) => {
                let (_, own) = bound.iter().find(|(name, _)| *name == slot.name)?;
                if matches!(pieces.last(), Some(Fragment::Text(text)) if **text == *POWER) {
                    pieces.pop();
                    pieces.push(power(own)?);
                } else {
                    pieces.extend_from_slice(own);
                }
            }
        }
    }
    Some(pieces)
}

/// True if an operand can fill the table slot with this name.
fn fits(name: Name, operand: &[Fragment]) -> bool {
    match (name, operand) {
        (Name::Read(3), [Fragment::Text(text)]) => text.starts_with("0x"),
        (Name::Predicate(_), [Fragment::Predicate(_)])
        | (Name::Result(_) | Name::Read(0..=2), [Fragment::General(..)]) => true,
        (Name::Read(1 | 2), [Fragment::Text(sign), Fragment::General(..)]) => **sign == *"-",
        _ => false,
    }
}

fn power(exponent: &[Fragment]) -> Option<Fragment> {
    let [Fragment::Text(text)] = exponent else { return None };
    let exponent = u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()?;
    Some(Fragment::Text(format!("{:#x}", 1_u32.checked_shl(exponent)?).into()))
}
