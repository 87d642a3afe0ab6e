//! Parser for directives, at module scope and in bodies.

use super::cursor::{Cursor, Parsed};
use super::list::{ListEnd, list};
use crate::ptx::TokenKind;

/// Parses a target: `.target sm_90a, debug`.
pub(super) fn target(cursor: &mut Cursor<'_>) -> Parsed {
    cursor.bump_as(TokenKind::Directive);
    loop {
        cursor.expect_kind(TokenKind::Name, "expected an architecture or an option")?;
        if !cursor.eat(b',') {
            return Ok(());
        }
    }
}

/// Reads a directive that ends with a `;`: `.pragma "nounroll";`, `.branchtargets L1, L2;`, `.alias a, b;`.
pub(super) fn terminated(cursor: &mut Cursor<'_>) -> Parsed {
    let is_pragma = cursor.word() == ".pragma";
    cursor.bump_as(TokenKind::Directive);
    if is_pragma && cursor.kind() != Some(TokenKind::String) {
        return Err(cursor.fail("expected a string"));
    }
    list(cursor, ListEnd::Semicolon)?;
    cursor.semicolon()
}

/// Reads an unknown directive at module scope, up to the end of its line.
pub(super) fn unknown(cursor: &mut Cursor<'_>) {
    cursor.note_here("expected a directive");
    cursor.bump_as(TokenKind::Directive);
    while cursor.current.is_some() && !cursor.first_on_line && !cursor.is(b'}') {
        if cursor.eat(b';') {
            break;
        }
        cursor.bump();
    }
}

/// Reads `.loc 1 5 0, function_name $L__info_string0, inlined_at 1 7 5`: a position, and the call position of
/// an inlined function.
pub(super) fn location(cursor: &mut Cursor<'_>) -> Parsed {
    cursor.bump_as(TokenKind::Directive);
    place(cursor)?;
    while cursor.eat(b',') {
        let word = cursor.word();
        cursor.expect_kind(TokenKind::Name, "expected `function_name` or `inlined_at`")?;
        if word == "inlined_at" {
            place(cursor)?;
            continue;
        }
        cursor.expect_kind(TokenKind::Name, "expected a label")?;
        if cursor.eat(b'+') {
            cursor.expect_kind(TokenKind::Integer, "expected an offset")?;
        }
    }
    Ok(())
}

fn place(cursor: &mut Cursor<'_>) -> Parsed {
    cursor.expect_kind(TokenKind::Integer, "expected the index of a file")?;
    cursor.expect_kind(TokenKind::Integer, "expected a line")?;
    cursor.expect_kind(TokenKind::Integer, "expected a column")
}

/// Reads `.file 1 "kernel.cu", 1700000000, 512`: index, path, modification time, length.
pub(super) fn file(cursor: &mut Cursor<'_>) -> Parsed {
    cursor.bump_as(TokenKind::Directive);
    cursor.expect_kind(TokenKind::Integer, "expected the index of the file")?;
    cursor.expect_kind(TokenKind::String, "expected the path of the file")?;
    if cursor.eat(b',') { values(cursor) } else { Ok(()) }
}

/// Reads numbers and strings separated by commas; the list may be empty.
pub(super) fn values(cursor: &mut Cursor<'_>) -> Parsed {
    let mut last = cursor.tokens.last().copied();
    while let Some(TokenKind::Integer | TokenKind::Float | TokenKind::String) = cursor.kind() {
        cursor.bump();
        last = cursor.current;
        if !cursor.eat(b',') {
            return Ok(());
        }
    }
    if last.is_some_and(|token| token.is(b',')) { Err(cursor.fail("expected a value")) } else { Ok(()) }
}
