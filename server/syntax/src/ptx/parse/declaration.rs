//! Parser for declarations of variables, registers and parameters.

use super::cursor::{Cursor, Parsed};
use super::list::{ListEnd, list};
use super::words::begins_line;
use crate::ptx::variable::{is_linkage, is_space, is_type};
use crate::ptx::{TokenKind, TokenRange};

/// `.shared .align 16 .b8 tile[2][64], other;`
pub(super) fn variable(cursor: &mut Cursor<'_>) -> Parsed {
    head(cursor)?;
    declared(cursor)
}

/// Reads the names and the `;` of a declaration, which follow its dotted words.
pub(super) fn declared(cursor: &mut Cursor<'_>) -> Parsed {
    declarators(cursor)?;
    cursor.semicolon()
}

/// Reads the dotted words of a declaration and their arguments, up to a name or to `.entry` or `.func`.
pub(super) fn head(cursor: &mut Cursor<'_>) -> Parsed {
    let (mut has_space, mut has_type, mut has_pointer) = (false, false, false);
    while cursor.kind() == Some(TokenKind::Modifier) {
        let word = cursor.word();
        if matches!(word, ".entry" | ".func") && !has_space {
            return Ok(());
        }
        let is_type = is_type(word);
        // The state space after `.ptr` belongs to the pointer's target.
        let is_another = (has_space || has_type) && is_space(word) && !has_pointer
            || has_type && is_type
            || has_space && (is_linkage(word) || begins_line(word) && word != ".align");
        if is_another {
            return Err(cursor.fail(if has_type { "expected a name" } else { "expected a type" }));
        }
        has_space |= is_space(word);
        has_type |= is_type;
        has_pointer |= word == ".ptr";
        cursor.bump_as(TokenKind::Directive);
        if word == ".align" {
            cursor.expect_kind(TokenKind::Integer, "expected a number of bytes")?;
        } else if cursor.is(b'(') {
            arguments(cursor)?;
        }
    }
    match (has_space, has_type) {
        (false, _) => Err(cursor.fail("expected a state space")),
        (_, false) => Err(cursor.fail("expected a type")),
        _ => Ok(()),
    }
}

/// Parses an attribute: `.attribute(.unified(19, 95))`.
pub(super) fn attribute(cursor: &mut Cursor<'_>) -> Parsed {
    cursor.bump_as(TokenKind::Directive);
    if cursor.is(b'(') { arguments(cursor) } else { Err(cursor.fail("expected `(`")) }
}

/// Reads a parenthesised argument list of a dotted word: dotted words, numbers, nested parentheses.
fn arguments(cursor: &mut Cursor<'_>) -> Parsed {
    let depth = cursor.brackets.len();
    loop {
        match cursor.kind() {
            Some(TokenKind::Punct(b'(')) => cursor.brackets.push(b')'),
            Some(TokenKind::Punct(b')')) => {
                cursor.brackets.pop();
            }
            Some(TokenKind::Modifier) => {
                cursor.bump_as(TokenKind::Directive);
                continue;
            }
            Some(TokenKind::Name | TokenKind::Integer | TokenKind::Punct(b',')) => {}
            _ => return Err(cursor.fail("expected `,` or `)`")),
        }
        cursor.bump();
        if cursor.brackets.len() == depth {
            return Ok(());
        }
    }
}

/// Reads `name`, `%r<10>`, `name[2][] = { … }`, separated by commas. As in `ptxas`, the list may be empty.
fn declarators(cursor: &mut Cursor<'_>) -> Parsed {
    if cursor.is(b';') {
        return Ok(());
    }
    loop {
        cursor.expect_kind(TokenKind::Name, "expected a name")?;
        if cursor.eat(b'<') {
            cursor.expect_kind(TokenKind::Integer, "expected a number of registers")?;
            cursor.expect(b'>', "expected `>`")?;
        }
        dimensions(cursor)?;
        if cursor.eat(b'=') {
            list(cursor, ListEnd::Declarator)?;
        }
        if !cursor.eat(b',') {
            return Ok(());
        }
    }
}

fn dimensions(cursor: &mut Cursor<'_>) -> Parsed {
    while cursor.eat(b'[') {
        if matches!(cursor.kind(), Some(TokenKind::Integer | TokenKind::Name)) {
            cursor.bump();
        }
        cursor.expect(b']', "expected a number or `]`")?;
    }
    Ok(())
}

/// Reads a parenthesised parameter list of a function; each parameter has its space and type.
pub(super) fn parameters(cursor: &mut Cursor<'_>) -> (TokenRange, Parsed) {
    cursor.bump();
    let start = cursor.next_index();
    let mut step = Ok(());
    while !cursor.is(b')') {
        step = parameter(cursor);
        if step.is_err() {
            skip_parameter(cursor);
        }
        let is_next = cursor.eat(b',');
        if !is_next && cursor.kind() == Some(TokenKind::Modifier) && is_space(cursor.word()) {
            // The comma between two parameters is missing, for example while the user is typing.
            if step.is_ok() {
                cursor.note("expected `,` or `)`");
            }
        } else if !is_next {
            break;
        } else if step.is_ok() && cursor.is(b')') {
            cursor.note("expected a parameter");
        }
    }
    let range = TokenRange { start, end: cursor.next_index() };
    // An error inside a parameter has been reported already.
    let step = match step {
        _ if cursor.eat(b')') => Ok(()),
        Ok(()) => Err(cursor.fail("expected `,` or `)`")),
        failed => failed,
    };
    (range, step)
}

fn parameter(cursor: &mut Cursor<'_>) -> Parsed {
    if cursor.kind() != Some(TokenKind::Modifier) {
        return Err(cursor.fail("expected a parameter"));
    }
    let step = head(cursor).and_then(|()| cursor.expect_kind(TokenKind::Name, "expected a name"));
    cursor.brackets.clear();
    step.and_then(|()| dimensions(cursor))
}

/// Skips to the end of a parameter.
fn skip_parameter(cursor: &mut Cursor<'_>) {
    while let Some(kind) = cursor.kind() {
        let ends = match kind {
            TokenKind::Punct(b',' | b')' | b'{' | b'}' | b';') => true,
            TokenKind::Modifier => cursor.first_on_line || is_space(cursor.word()),
            _ => false,
        };
        if ends {
            return;
        }
        cursor.bump();
    }
}
