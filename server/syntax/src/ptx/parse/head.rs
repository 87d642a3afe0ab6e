//! Parser for the heads of functions and prototypes: names, parameters, and performance directives.

use super::cursor::{Cursor, Parsed};
use super::declaration::{attribute, parameters};
use super::directive::values;
use super::words::begins_item;
use crate::ptx::{Function, TokenKind};

pub(super) fn signature(cursor: &mut Cursor<'_>, function: &mut Function) -> Parsed {
    // `.attribute` may precede the name.
    directives(cursor)?;
    if cursor.is(b'(') {
        let (range, read) = parameters(cursor);
        function.returns = range;
        read?;
    }
    let name = cursor.next_index();
    cursor.expect_kind(TokenKind::Name, "expected the function's name")?;
    function.name = Some(name);
    if cursor.is(b'(') {
        let (range, read) = parameters(cursor);
        function.parameters = range;
        read?;
    }
    function.performance.start = cursor.next_index();
    let read = directives(cursor);
    function.performance.end = cursor.next_index();
    read
}

/// Checks the end of a head: the `{` of a body, the `;` of a declaration or, as in `ptxas`, the start of
/// another item.
pub(super) fn body_or_end(cursor: &mut Cursor<'_>) -> Parsed {
    let is_item = cursor.kind() == Some(TokenKind::Modifier) && begins_item(cursor.word());
    if is_item || cursor.is(b'{') || cursor.is(b';') {
        Ok(())
    } else {
        Err(cursor.fail("expected `{` or `;`"))
    }
}

/// Reads the directives of a function and their arguments.
fn directives(cursor: &mut Cursor<'_>) -> Parsed {
    while cursor.kind() == Some(TokenKind::Modifier) && !begins_item(cursor.word()) {
        let word = cursor.word();
        if word == ".attribute" {
            attribute(cursor)?;
            continue;
        }
        cursor.bump_as(TokenKind::Directive);
        let is_pragma = word == ".pragma";
        if is_pragma && cursor.kind() != Some(TokenKind::String) {
            return Err(cursor.fail("expected a string"));
        }
        values(cursor)?;
        if is_pragma {
            cursor.expect(b';', "expected `;` after the pragma")?;
        }
    }
    Ok(())
}

/// Skips to the body, to the `;` of a declaration, or to the start of another item.
pub(super) fn skip_head(cursor: &mut Cursor<'_>) {
    while let Some(kind) = cursor.kind() {
        let ends = match kind {
            TokenKind::Punct(b'{' | b'}' | b';') => true,
            TokenKind::Modifier => cursor.first_on_line && begins_item(cursor.word()),
            _ => false,
        };
        if ends {
            return;
        }
        cursor.bump();
    }
}

/// `.callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
pub(super) fn prototype(cursor: &mut Cursor<'_>) -> Parsed {
    cursor.bump_as(TokenKind::Directive);
    if cursor.is(b'(') {
        parameters(cursor).1?;
    }
    cursor.expect_kind(TokenKind::Name, "expected `_`")?;
    if cursor.is(b'(') {
        parameters(cursor).1?;
    }
    directives(cursor)?;
    cursor.semicolon()
}
