//! Operands of the wrong number or kind.

use super::printed::PrintedForms;
use super::{SpelledInstruction, UnseenForm, spelled};
use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::Finding;
use machine::{OperandKind, Spelling, any_of};
use std::slice::from_ref;

/// Reports instructions with too many or too few operands.
pub(crate) fn check_operand_counts(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let prints = PrintedForms::new(codes.chunk);
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
        let form = UnseenForm {
            code: Code::OperandCount,
            tokens: from_ref(token),
            what: format!("`{}` with {}", text.mnemonic(), operands(&[kinds.len()])),
            is_near: is_near(&text, &kinds),
        };
        let absent = || format!("`{}` takes {}, not {have}", text.mnemonic(), operands(&counts));
        findings.extend(text.unseen(&prints, &form, absent));
    }
}

/// Reports operands of a kind that the opcode does not accept in their position.
pub(crate) fn check_operand_kinds(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let prints = PrintedForms::new(codes.chunk);
    for (text, spelling, kinds) in misspelt(codes) {
        let Some((place, wanted)) = spelling.misfit(&kinds) else { continue };
        let operand = text.operands().nth(place).unwrap_or_default();
        let have = kinds[place].map_or("this", OperandKind::noun);
        let form = UnseenForm {
            code: Code::OperandKind,
            tokens: operand,
            what: format!("{have} here in `{}`", text.mnemonic()),
            is_near: is_near(&text, &kinds),
        };
        let absent = || format!("`{}` takes {} here, not {have}", text.mnemonic(), wanted.phrase());
        findings.extend(text.unseen(&prints, &form, absent));
    }
}

/// Reports carries that are read without `.X` or `.EX`, and `.X` or `.EX` on instructions that read no carry.
///
/// Skips architectures whose carry is in the condition code, which is not an operand.
pub(crate) fn check_carries(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let is_carry = |word: &str| matches!(word, "X" | "EX");
    let is_predicate =
        |kind: &OperandKind| matches!(kind, OperandKind::Predicate | OperandKind::UniformPredicate);
    for text in spelled(codes) {
        let Some(spelling) = text.spelling() else { continue };
        let Some(word) = ["EX", "X"].into_iter().find(|word| spelling.modifiers.contains(*word)) else {
            continue;
        };
        // The last predicate of a comparison is combined with its result.
        let others = usize::from(text.mnemonic().ends_with("SETP") || text.mnemonic().ends_with("SET"));
        let is_read_last = spelling.operands.iter().any(|row| {
            let last = row.iter().rev();
            last.take_while(|kinds| kinds.iter().all(|kind| is_predicate(&kind))).count() > others
        });
        let Some(kinds) = text.kinds().collect::<Option<Vec<_>>>() else { continue };
        if !is_read_last || !spelling.takes(&kinds.iter().copied().map(Some).collect::<Vec<_>>()) {
            continue;
        }
        let reads = kinds.iter().rev().take_while(|kind| is_predicate(kind)).count() > others;
        let asks = text.chunk.modifiers(text.instruction).any(is_carry);
        if reads == asks {
            continue;
        }
        let name = text.mnemonic();
        let message = if asks {
            format!("`{name}.{word}` reads a carry: the last operand must be a predicate")
        } else {
            format!("`{name}` reads a carry only with `.{word}`, so this predicate operand is not allowed")
        };
        let operand = text.operands().last().unwrap_or_default();
        findings.push(text.absent(Code::OperandKind, operand, message));
    }
}

/// True if listings of similar architectures contain these operands.
fn is_near(text: &SpelledInstruction<'_>, kinds: &[Option<OperandKind>]) -> bool {
    text.near_spelling().is_some_and(|near| near.takes(kinds))
}

/// The instructions whose operands match no row of their opcode's table.
fn misspelt<'a>(
    codes: &'a Codes<'a>,
) -> impl Iterator<Item = (SpelledInstruction<'a>, &'a Spelling, Vec<Option<OperandKind>>)> {
    spelled(codes).filter_map(|text| {
        let spelling = text.spelling().filter(|spelling| !spelling.operands.is_empty())?;
        let kinds: Vec<_> = text.kinds().collect();
        (!spelling.takes(&kinds)).then_some((text, spelling, kinds))
    })
}

/// Number of operands: `3 operands`, `2 to 4 operands`, `3 or 5 operands`, `no operands`.
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
