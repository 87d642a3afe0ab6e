//! Operands with brackets: addresses, descriptors and constant banks.

use super::{SpelledInstruction, spelled};
use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::Finding;
use model::{MemorySpace, TokenKind};
use std::slice::from_ref;
use syntax::sass::Token;

/// A pair of brackets in an operand.
pub(super) struct Brackets<'t> {
    /// The word directly before the brackets: `desc`, `gdesc`, `c`.
    pub prefix: Option<&'t Token>,
    /// The opening bracket.
    pub open: &'t Token,
    /// The tokens between the brackets.
    pub inside: &'t [Token],
}

/// The brackets of an operand, in text order. A nested pair is part of the outer pair's contents.
pub(super) fn brackets(operand: &[Token]) -> Vec<Brackets<'_>> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(length) = operand[at..].iter().position(|token| token.is_punct(b'[')) {
        let start = at + length;
        let mut depth = 0_u32;
        let end = operand[start..].iter().position(|token| {
            depth += u32::from(token.is_punct(b'['));
            depth -= u32::from(token.is_punct(b']'));
            depth == 0
        });
        let Some(end) = end.map(|end| start + end) else { break };
        let is_word = |token: &&Token| matches!(token.kind, TokenKind::Keyword | TokenKind::ConstantBank);
        let prefix = operand[at..start].last().filter(is_word);
        all.push(Brackets { prefix, open: &operand[start], inside: &operand[start + 1..end] });
        at = end + 1;
    }
    all
}

/// Reports malformed addresses, descriptors and constant banks.
pub(crate) fn check_addresses(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for text in spelled(codes) {
        for operand in text.operands() {
            let all = brackets(operand);
            let wrong = all.iter().find_map(|one| shape(&text, one));
            let wrong = wrong.or_else(|| match all.first()?.prefix?.kind {
                TokenKind::ConstantBank => constant(&text, &all),
                _ => descriptor(&text, &all),
            });
            if let Some((token, message)) = wrong {
                findings.push(text.finding(Code::OperandKind.name(), from_ref(token), message));
            }
        }
    }
}

/// Returns a token that is not allowed in brackets, with a message; `None` if all tokens are allowed.
fn shape<'t>(text: &SpelledInstruction<'_>, brackets: &Brackets<'t>) -> Option<(&'t Token, String)> {
    let mut general = 0;
    for token in brackets.inside {
        let name = token.text(text.line);
        match token.kind {
            TokenKind::Predicate
            | TokenKind::UniformPredicate
            | TokenKind::Barrier
            | TokenKind::Scoreboard
            | TokenKind::SpecialRegister
            | TokenKind::StateRegister
            | TokenKind::Float => return Some((token, format!("an address cannot contain `{name}`"))),
            TokenKind::Register if general == 1 => {
                return Some((
                    token,
                    format!("an address has one general register; `{name}` is the second one"),
                ));
            }
            TokenKind::Register => general += 1,
            TokenKind::Punct if token.is_punct(b'[') => {
                return Some((token, "brackets cannot be nested".to_owned()));
            }
            _ => {}
        }
    }
    brackets.inside.is_empty().then(|| (brackets.open, "the brackets are empty".to_owned()))
}

/// Returns the error in a constant such as `c[0x0][0x160]` or `cx[UR4][0x10]`; `None` if the constant is
/// valid.
fn constant<'t>(text: &SpelledInstruction<'_>, all: &[Brackets<'t>]) -> Option<(&'t Token, String)> {
    let bank = &all[0];
    let word = bank.prefix?;
    if all.len() < 2 {
        return Some((word, "a constant needs a bank and an offset: `c[0x0][0x160]`".to_owned()));
    }
    // `c[R4][0x10]`
    let register = bank.inside.iter().find(|token| is_register(token))?;
    let is_bindless = word.text(text.line) == "cx" && register.kind == TokenKind::UniformRegister;
    (!is_bindless).then(|| {
        let wants = if word.text(text.line) == "cx" { "a uniform register" } else { "a number" };
        (register, format!("the constant bank is {wants}, not `{}`", register.text(text.line)))
    })
}

/// Returns the error in a descriptor such as `desc[UR4][R2.64]` or `gdesc[UR8]`; `None` if the descriptor is
/// valid.
fn descriptor<'t>(text: &SpelledInstruction<'_>, all: &[Brackets<'t>]) -> Option<(&'t Token, String)> {
    let holder = &all[0];
    let word = holder.prefix?;
    let name = word.text(text.line);
    if !matches!(name, "desc" | "gdesc") {
        return None;
    }
    if let Some(register) = holder.inside.iter().find(|token| token.kind == TokenKind::Register) {
        let have = register.text(text.line);
        return Some((register, format!("a descriptor is in a uniform register, not in `{have}`")));
    }
    match (name, all.get(1)) {
        ("desc", None) => {
            // For the TMA unit, the descriptor of the cache policy is a separate operand.
            let space = text.inst.memory.map(|memory| memory.space);
            let is_access = matches!(space, Some(MemorySpace::Global | MemorySpace::Generic));
            (is_access && !text.mnemonic().starts_with('U'))
                .then(|| (word, "`desc[…]` needs the address after it: `desc[UR4][R2.64]`".to_owned()))
        }
        ("gdesc", Some(second)) => {
            Some((second.open, "`gdesc[…]` is a whole operand; an address cannot follow it".to_owned()))
        }
        ("desc", Some(address)) => {
            let at = address.inside.iter().position(|token| token.kind == TokenKind::Register)?;
            let register = &address.inside[at];
            let has_width = address.inside.get(at + 1).is_some_and(|next| next.kind == TokenKind::Modifier);
            let is_long = text.chunk.modifiers(text.instruction).any(|word| word == "E");
            (is_long && !has_width && !register.is_zero_register()).then(|| {
                let have = register.text(text.line);
                (register, format!("the address after a descriptor needs its width: `{have}.64`"))
            })
        }
        _ => None,
    }
}

const fn is_register(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Register | TokenKind::UniformRegister)
}
