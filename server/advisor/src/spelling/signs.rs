//! Signs of operands: negation, complement, absolute value.

use super::{SpelledInstruction, spelled};
use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::Finding;
use model::TokenKind;
use std::slice::from_ref;
use syntax::sass::Token;

/// Reports signs in positions where they are not allowed: `!R4`, `-P0`, `|0x10|`, and any sign on a result.
pub(crate) fn check_signs(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for text in spelled(codes) {
        for (at, operand) in text.operands().enumerate() {
            let is_result = at < usize::from(text.inst.first_source);
            if let Some((sign, message)) = wrong(&text, operand, is_result) {
                findings.push(text.finding(Code::OperandKind.name(), from_ref(sign), message));
            }
        }
    }
}

fn wrong<'t>(
    text: &SpelledInstruction<'_>,
    operand: &'t [Token],
    is_result: bool,
) -> Option<(&'t Token, String)> {
    let count = operand.iter().take_while(|token| is_sign(token)).count();
    let signs = &operand[..count];
    let (first, signed) = (signs.first()?, operand.get(count)?);
    let (name, sign) = (signed.text(text.line), first.text(text.line));
    let is_predicate = matches!(signed.kind, TokenKind::Predicate | TokenKind::UniformPredicate);
    let is_value = matches!(
        signed.kind,
        TokenKind::Register | TokenKind::UniformRegister | TokenKind::ConstantBank | TokenKind::Integer
    );
    if is_result && (is_predicate || is_value) {
        return Some((first, format!("`{name}` is written here; a result cannot have the sign `{sign}`")));
    }
    if let Some(not) = signs.iter().find(|sign| sign.is_punct(b'!')) {
        return is_value.then(|| (not, format!("`!` negates predicates, and `{name}` is not a predicate")));
    }
    if is_predicate {
        return Some((first, format!("a predicate is negated by `!`; `{sign}{name}` cannot be encoded")));
    }
    let bar = signs.iter().find(|sign| sign.is_punct(b'|'))?;
    let is_number = matches!(signed.kind, TokenKind::Integer | TokenKind::Float);
    is_number.then(|| (bar, format!("a number has no absolute value here: write `{name}` without bars")))
}

fn is_sign(token: &Token) -> bool {
    [b'-', b'!', b'~', b'|'].into_iter().any(|sign| token.is_punct(sign))
}
