//! Lexer for labels and directives.

use super::comment::{comment, trailing};
use super::cursor::Cursor;
use super::scan;
use crate::sass::TokenKind;

/// Reads a label: a symbol followed by `:` and at most a comment. Returns false and consumes nothing if no
/// label starts at the current position.
pub(super) fn label(cursor: &mut Cursor<'_>) -> bool {
    let rest = cursor.rest();
    let Ok((after, name)) = scan::symbol(rest) else { return false };
    if after.first() != Some(&b':')
        || matches!(after.get(1), Some(byte) if !matches!(byte, b' ' | b'\t' | b'/' | b'#'))
    {
        return false;
    }
    if !matches!(after[1..].trim_ascii_start().first(), None | Some(b'/' | b'#')) {
        return false;
    }
    cursor.push(TokenKind::Label, name.len(), 0);
    cursor.push(TokenKind::Punct, 1, u32::from(b':'));
    trailing(cursor);
    true
}

/// Reads a directive and its arguments. The arguments are not interpreted.
pub(super) fn directive(cursor: &mut Cursor<'_>) {
    let name = 1 + scan::symbol_length(&cursor.rest()[1..]);
    if name == 1 {
        // A row of dots ends a function in cuobjdump's listings.
        return if cursor.rest().iter().all(|&byte| byte == b'.') {
            cursor.push_rest(TokenKind::Comment);
        } else {
            cursor.fail("expected a directive's name after `.`");
        };
    }
    if cursor.rest().trim_ascii_end().iter().all(|&byte| byte == b'.') {
        return cursor.push_rest(TokenKind::Comment);
    }
    cursor.push(TokenKind::Directive, name, 0);
    arguments(cursor);
}

fn arguments(cursor: &mut Cursor<'_>) {
    loop {
        cursor.skip_spaces();
        let rest = cursor.rest();
        match cursor.peek() {
            None => return,
            Some(b'/') if matches!(rest.get(1), Some(b'/' | b'*')) => {
                if !comment(cursor) {
                    return;
                }
            }
            Some(b'"') => string(cursor, 0),
            Some(b'@') if rest.get(1) == Some(&b'"') => string(cursor, 1),
            Some(b'`') => cursor.push(TokenKind::Punct, 1, u32::from(b'`')),
            Some(byte @ (b',' | b'(' | b')')) => cursor.push(TokenKind::Punct, 1, u32::from(byte)),
            Some(_) => {
                let len = rest
                    .iter()
                    .take_while(|byte| !matches!(byte, b' ' | b'\t' | b',' | b'"' | b'(' | b')' | b'`'));
                cursor.push(TokenKind::Name, len.count().max(1), 0);
            }
        }
        if cursor.error.is_some() {
            return;
        }
    }
}

/// Reads a quoted string; `prefix` bytes precede the quote.
fn string(cursor: &mut Cursor<'_>, prefix: usize) {
    let body = &cursor.rest()[prefix + 1..];
    let mut escaped = false;
    let end = body.iter().position(|&byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    match end {
        Some(end) => cursor.push(TokenKind::String, prefix + end + 2, 0),
        None => cursor.fail("expected `\"` at the end of the string"),
    }
}
