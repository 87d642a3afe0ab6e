//! Parser for lists of values separated by commas: operands, initialisers, arguments of directives, rows of
//! debug data.
//!
//! Expressions are checked, but no tree is built. The check covers which tokens may follow a value or an
//! operator.

use super::cursor::{Cursor, ParseFailed, Parsed};
use super::words::is_selector;
use crate::ptx::TokenKind;

/// Token that ends a list outside of brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListEnd {
    /// The `;` of an instruction or a directive.
    Semicolon,
    /// The comma or the `;` after an initialiser.
    Declarator,
    /// Any token that cannot continue the list. Rows of debug data have no terminator.
    Row,
}

/// Reads values up to the terminating token, which is not consumed.
pub(super) fn list(cursor: &mut Cursor<'_>, until: ListEnd) -> Parsed {
    let mut ternaries = 0_u32;
    loop {
        value(cursor, until)?;
        if !between(cursor, until, &mut ternaries)? {
            return Ok(());
        }
    }
}

/// Reads a value with its prefixes: signs, opening brackets, casts.
fn value(cursor: &mut Cursor<'_>, until: ListEnd) -> Parsed {
    // A closing bracket may directly follow its opening bracket: `()`, and `{}` of an initialiser.
    let mut opened = false;
    loop {
        match cursor.kind() {
            Some(TokenKind::Name | TokenKind::Integer | TokenKind::Float | TokenKind::String) => {
                if cursor.first_on_line && until == ListEnd::Semicolon && cursor.begins_statement() {
                    return Err(cursor.fail("expected an operand"));
                }
                cursor.bump();
                return Ok(());
            }
            Some(TokenKind::Punct(b'-' | b'+' | b'!' | b'~')) => {
                cursor.bump();
                opened = false;
            }
            Some(TokenKind::Punct(open @ (b'(' | b'[' | b'{'))) => {
                open_bracket(cursor, open);
                opened = true;
            }
            Some(TokenKind::Punct(close @ (b')' | b'}')))
                if opened
                    && cursor.brackets.last() == Some(&close)
                    && (close == b')' || until == ListEnd::Declarator) =>
            {
                cursor.brackets.pop();
                cursor.bump();
                return Ok(());
            }
            Some(TokenKind::Modifier) if until == ListEnd::Row => {
                cursor.bump_as(TokenKind::Directive);
                return Ok(());
            }
            Some(TokenKind::Modifier) if opened && cursor.brackets.last() == Some(&b')') => {
                cursor.bump();
                cursor.expect(b')', "expected `)` after the type")?;
                cursor.brackets.pop();
                opened = false;
            }
            _ => return Err(cursor.fail("expected an operand")),
        }
    }
}

/// Reads the tokens after a value; true if another value must follow.
#[inline]
fn between(cursor: &mut Cursor<'_>, until: ListEnd, ternaries: &mut u32) -> Result<bool, ParseFailed> {
    loop {
        match cursor.kind() {
            Some(TokenKind::Punct(b',')) => {
                if until == ListEnd::Declarator && cursor.brackets.is_empty() {
                    return Ok(false);
                }
                cursor.bump();
                return Ok(true);
            }
            Some(TokenKind::Punct(b';')) if cursor.brackets.is_empty() => return Ok(false),
            Some(TokenKind::Punct(close @ (b')' | b']' | b'}'))) => {
                if cursor.brackets.last() == Some(&close) {
                    cursor.brackets.pop();
                    cursor.bump();
                } else if cursor.brackets.is_empty() && close == b'}' {
                    return Ok(false);
                } else {
                    return Err(fail_between(cursor));
                }
            }
            Some(TokenKind::Modifier) if until == ListEnd::Row || begins_directive(cursor) => {
                return Ok(false);
            }
            Some(TokenKind::Modifier) if until != ListEnd::Declarator && after_place(cursor) => cursor.bump(),
            Some(TokenKind::Punct(b':')) => {
                let Some(open) = ternaries.checked_sub(1) else { return Err(fail_between(cursor)) };
                *ternaries = open;
                cursor.bump();
                return Ok(true);
            }
            Some(TokenKind::Punct(b'?')) => {
                *ternaries += 1;
                cursor.bump();
                return Ok(true);
            }
            // Sampler settings have names: `{ filter_mode = nearest }`.
            Some(TokenKind::Punct(b'=')) if until == ListEnd::Declarator && !cursor.brackets.is_empty() => {
                cursor.bump();
                return Ok(true);
            }
            Some(
                TokenKind::Operator
                | TokenKind::Punct(b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'^' | b'|' | b'<' | b'>'),
            ) => {
                cursor.bump();
                return Ok(true);
            }
            // `generic(x)`, and `0xff(x)`, which selects a byte of an address.
            Some(TokenKind::Punct(b'(')) if takes_argument(cursor) => {
                open_bracket(cursor, b'(');
                return Ok(true);
            }
            Some(TokenKind::Punct(b'[')) if after_place(cursor) && is_subscript(cursor) => {
                open_bracket(cursor, b'[');
                return Ok(true);
            }
            _ if until == ListEnd::Row && cursor.brackets.is_empty() => return Ok(false),
            None => return if cursor.brackets.is_empty() { Ok(false) } else { Err(fail_between(cursor)) },
            // A token on a new line would continue this statement only if a `;` were missing.
            Some(_) if cursor.first_on_line && cursor.brackets.is_empty() => return Ok(false),
            Some(_) => return Err(fail_between(cursor)),
        }
    }
}

/// True if the current dotted word begins a line and cannot follow an operand.
fn begins_directive(cursor: &Cursor<'_>) -> bool {
    cursor.first_on_line && cursor.brackets.is_empty() && !is_selector(&cursor.word()[1..])
}

fn open_bracket(cursor: &mut Cursor<'_>, open: u8) {
    cursor.brackets.push(match open {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    });
    cursor.bump();
}

fn fail_between(cursor: &mut Cursor<'_>) -> ParseFailed {
    cursor.fail(match cursor.brackets.last() {
        None => "expected `,` or `;`",
        Some(b')') => "expected `,` or `)`",
        Some(b']') => "expected `,` or `]`",
        Some(_) => "expected `,` or `}`",
    })
}

/// True if an argument in parentheses may follow the previous token.
fn takes_argument(cursor: &Cursor<'_>) -> bool {
    cursor.tokens.last().is_some_and(|token| match token.kind {
        TokenKind::Integer => true,
        TokenKind::Name => matches!(&cursor.item_text()[token.range()], "generic" | "mask"),
        _ => false,
    })
}

/// True if the previous token ends a name, an address or a vector, and the current token can qualify it.
fn after_place(cursor: &Cursor<'_>) -> bool {
    cursor.tokens.last().is_some_and(|token| {
        matches!(token.kind, TokenKind::Name | TokenKind::Modifier | TokenKind::Punct(b']' | b'}'))
    })
}

/// True if a number follows the current bracket. If a name follows, the bracket opens an address, and a comma is
/// missing.
fn is_subscript(cursor: &Cursor<'_>) -> bool {
    cursor.following().is_some_and(|token| {
        matches!(token.kind, TokenKind::Integer | TokenKind::Punct(b'+' | b'-' | b'('))
            || &cursor.item_text()[token.range()] == "WARP_SZ"
    })
}
