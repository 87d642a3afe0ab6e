//! Operands that are too many, too few, or of a kind that the opcode does not take.

use super::{Spelled, spelled};
use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::Finding;
use machine::{OperandKind, Spelling, any_of};
use std::slice::from_ref;

/// Instructions with too many or too few operands.
pub(crate) fn check_operand_counts(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for (text, spelling, kinds) in misspelt(codes) {
        let counts = spelling.counts();
        if counts.contains(&kinds.len()) {
            continue;
        }
        let token = text.chunk.mnemonic_token(text.instruction);
        let have = match kinds.len() {
            0 => "none".to_owned(),
            count => count.to_string(),
        };
        findings.push(if is_near(&text, &kinds) {
            let what = format!("`{}` with {}", text.mnemonic(), operands(&[kinds.len()]));
            text.unseen(Code::OperandCount, from_ref(token), &what)
        } else {
            let message = format!("`{}` takes {}, not {have}", text.mnemonic(), operands(&counts));
            text.absent(Code::OperandCount, from_ref(token), message)
        });
    }
}

/// Operands of another kind than the opcode takes at that place.
pub(crate) fn check_operand_kinds(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for (text, spelling, kinds) in misspelt(codes) {
        let Some((place, wanted)) = spelling.misfit(&kinds) else { continue };
        let operand = text.operands().nth(place).unwrap_or_default();
        let have = kinds[place].map_or("this", OperandKind::noun);
        findings.push(if is_near(&text, &kinds) {
            text.unseen(Code::OperandKind, operand, &format!("{have} here in `{}`", text.mnemonic()))
        } else {
            let message = format!("`{}` takes {} here, not {have}", text.mnemonic(), wanted.phrase());
            text.absent(Code::OperandKind, operand, message)
        });
    }
}

/// True where listings of other architectures show the operands.
fn is_near(text: &Spelled<'_>, kinds: &[Option<OperandKind>]) -> bool {
    text.near_spelling().is_some_and(|near| near.takes(kinds))
}

/// The instructions whose operands are no row of their opcode's table.
fn misspelt<'a>(
    codes: &'a Codes<'a>,
) -> impl Iterator<Item = (Spelled<'a>, &'a Spelling, Vec<Option<OperandKind>>)> {
    spelled(codes).filter_map(|text| {
        let spelling = text.spelling().filter(|spelling| !spelling.operands.is_empty())?;
        let kinds: Vec<_> = text.kinds().collect();
        (!spelling.takes(&kinds)).then_some((text, spelling, kinds))
    })
}

/// `3 operands`, `2 to 4 operands`, `3 or 5 operands`, `no operands`.
fn operands(counts: &[usize]) -> String {
    match counts {
        [] | [0] => "no operands".to_owned(),
        [1] => "1 operand".to_owned(),
        [first, .., last] if last - first + 1 == counts.len() && counts.len() > 2 => {
            format!("{first} to {last} operands")
        }
        _ => format!("{} operands", any_of(counts.iter().map(ToString::to_string))),
    }
}
