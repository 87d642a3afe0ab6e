//! Recognises C statements in PTX. Each C statement gets one error.

use super::cursor::Cursor;
use crate::ptx::TokenKind;

/// True if the previous word begins a statement or a declaration of C.
pub(super) fn begins_statement(cursor: &Cursor<'_>, word: &str) -> bool {
    match word {
        "if" | "for" | "while" | "switch" => cursor.is(b'('),
        "else" | "do" => cursor.is(b'{') || cursor.kind() == Some(TokenKind::Name),
        _ => is_type_of_c(word) && cursor.kind() == Some(TokenKind::Name),
    }
}

/// Skips a C declaration up to its `;`, or the head of a C branch or loop, and reports one error.
pub(super) fn skip_statement(cursor: &mut Cursor<'_>) {
    let word = cursor.tokens.last().copied();
    let is_declared = word.is_some_and(|word| is_type_of_c(&cursor.item_text()[word.range()]));
    let message = if is_declared {
        "this is C: PTX declares registers, as in `.reg .b32 %r1;`, and computes with instructions"
    } else {
        "PTX does not have this statement: use `setp` and a guarded `bra`"
    };
    if let Some(word) = word {
        cursor.note_on(word, message);
    }
    let mut depth = 0_u32;
    while let Some(kind) = cursor.kind() {
        match kind {
            TokenKind::Punct(b'{' | b'}') => break,
            TokenKind::Punct(b'(') => depth += 1,
            TokenKind::Punct(b')') => depth = depth.saturating_sub(1),
            _ if depth == 0 && !is_declared => break,
            _ => {}
        }
        let is_end = depth == 0 && (kind == TokenKind::Punct(b';') || !is_declared);
        cursor.bump();
        if is_end {
            break;
        }
    }
    cursor.eat(b';');
}

fn is_type_of_c(word: &str) -> bool {
    matches!(
        word,
        "int"
            | "unsigned"
            | "float"
            | "double"
            | "char"
            | "short"
            | "long"
            | "bool"
            | "void"
            | "const"
            | "auto"
            | "size_t"
            | "int32_t"
            | "uint32_t"
            | "int64_t"
            | "uint64_t"
    )
}
