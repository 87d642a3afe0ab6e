//! Modifiers that an opcode does not have.

use super::printed::PrintedForms;
use super::{UnseenForm, spelled};
use crate::assembler::Code;
use crate::codes::Codes;
use crate::finding::Finding;
use machine::nearest_name;
use model::TokenKind;
use std::slice::from_ref;
use syntax::sass::Token;

/// Reports modifiers of opcodes and operands if no listing or table of the architecture contains the modifier.
pub(crate) fn check_modifiers(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    let isa = &codes.program.arch.isa;
    let prints = PrintedForms::new(codes.chunk);
    for text in spelled(codes) {
        let Some(spelling) = text.spelling() else { continue };
        let tokens = text.chunk.tokens(text.instruction.tokens);
        let mnemonic = (text.instruction.mnemonic - text.instruction.tokens.start) as usize;
        let mut owner = Owner::Opcode;
        for token in &tokens[mnemonic + 1..] {
            if token.kind != TokenKind::Modifier {
                owner = Owner::new(token, text.line);
                continue;
            }
            let word = token.text(text.line).trim_start_matches('.');
            let known = match owner {
                Owner::Opcode => {
                    spelling.modifiers.contains(word)
                        || isa.modifiers_of(text.mnemonic()).any(|known| known == word)
                }
                // Another rule checks whether `.reuse` is allowed on the operand.
                Owner::Operand(_) => word == "reuse" || spelling.suffixes.contains(word),
                Owner::Open => true,
            };
            if known {
                continue;
            }
            let is_near = text.near_spelling().is_some_and(|near| match owner {
                Owner::Opcode => near.modifiers.contains(word),
                Owner::Operand(_) => near.suffixes.contains(word),
                Owner::Open => false,
            });
            let (mnemonic, arch) = (text.mnemonic(), codes.arch());
            let known =
                if matches!(owner, Owner::Operand(_)) { &spelling.suffixes } else { &spelling.modifiers };
            let near = nearest_name(word, known.iter().map(|word| &**word)).map(|near| format!(".{near}"));
            let (what, absent) = match owner {
                Owner::Operand(name) => (
                    format!("`.{word}` on `{name}` of `{mnemonic}`"),
                    format!("`{name}` of `{mnemonic}` does not take `.{word}` on {arch}"),
                ),
                _ => (
                    format!("`.{word}` on `{mnemonic}`"),
                    format!("`{mnemonic}` has no modifier `.{word}` on {arch}"),
                ),
            };
            let form = UnseenForm { code: Code::UnknownModifier, tokens: from_ref(token), what, is_near };
            let Some(mut finding) = text.unseen(&prints, &form, || absent) else { continue };
            if !is_near {
                finding.suggest(near.as_deref());
            }
            findings.push(finding);
        }
    }
}

/// Reports modifiers that occur twice on an opcode.
///
/// Types and shapes may repeat (`IDP.4A.S8.S8`), and so may the operations of predicate instructions
/// (`PSETP.AND.AND`).
pub(crate) fn check_repeated_modifiers(codes: &Codes<'_>, findings: &mut Vec<Finding>) {
    for text in spelled(codes) {
        let following = (text.instruction.mnemonic - text.instruction.tokens.start) as usize + 1;
        let tokens = &text.chunk.tokens(text.instruction.tokens)[following..];
        let own = tokens.iter().take_while(|token| token.kind == TokenKind::Modifier).count();
        for (at, token) in tokens[..own].iter().enumerate() {
            let word = token.text(text.line);
            let may_repeat = match word {
                ".AND" | ".OR" | ".XOR" => text.mnemonic().trim_start_matches('U').starts_with('P'),
                ".64" | ".128" => text.inst.memory.is_none(),
                _ => !word.bytes().skip(1).all(|byte| byte.is_ascii_alphabetic()),
            };
            if !may_repeat && tokens[..at].iter().any(|other| other.text(text.line) == word) {
                let message = format!("`{}` has the modifier `{word}` twice", text.mnemonic());
                let mut finding = text.finding(Code::UnknownModifier.name(), from_ref(token), message);
                finding.offer(format!("Remove the second {word}"), "");
                findings.push(finding);
            }
        }
    }
}

/// Owner of the modifiers that follow a token.
#[derive(Clone, Copy)]
enum Owner<'a> {
    Opcode,
    Operand(&'a str),
    /// A name that an assembler resolves, or a token that takes no modifiers.
    Open,
}

impl<'a> Owner<'a> {
    fn new(token: &Token, line: &'a str) -> Self {
        match token.kind {
            TokenKind::Register
            | TokenKind::UniformRegister
            | TokenKind::Predicate
            | TokenKind::UniformPredicate
            | TokenKind::StateRegister => Self::Operand(token.text(line)),
            _ => Self::Open,
        }
    }
}
