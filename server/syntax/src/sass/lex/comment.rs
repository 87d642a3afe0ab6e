//! Lexer for comments, encodings and tables. They occur on separate lines, between operands, and at the end
//! of a line.

use super::cursor::Cursor;
use super::inline::opaque_rest;
use super::scan::{self, find};
use crate::sass::{LineKind, TokenKind};

/// Reads the comment or encoding at the current position; false if there is none or if the comment is not
/// closed.
pub(super) fn comment(cursor: &mut Cursor<'_>) -> bool {
    let rest = cursor.rest();
    if cursor.take(TokenKind::Word, scan::encoded_word).is_some() {
        return true;
    }
    if rest.starts_with(b"// |") || rest.starts_with(b"// +--") {
        cursor.push_rest(TokenKind::LifeRange);
    } else if rest.starts_with(b"//") || rest.starts_with(b"#") {
        cursor.push_rest(TokenKind::Comment);
    } else if rest.starts_with(b"/*") {
        if let Some(end) = find(&rest[2..], b"*/") {
            cursor.push(TokenKind::Comment, end + 4, 0);
        } else {
            cursor.fail("expected `*/` at the end of the comment");
            return false;
        }
    } else {
        cursor.fail("expected a comment after `/`");
        return false;
    }
    true
}

/// Reads a line that starts with `#`: a comment, or the name of a kernel.
pub(super) fn hash_comment(cursor: &mut Cursor<'_>) -> LineKind {
    let rest = cursor.rest();
    let kernel = b"# Kernel:";
    if rest.starts_with(kernel) {
        cursor.push(TokenKind::Directive, kernel.len(), 0);
        cursor.skip_spaces();
        let name = scan::symbol_length(cursor.rest());
        if name > 0 {
            cursor.push(TokenKind::Label, name, 0);
            cursor.skip_spaces();
            cursor.push_rest(TokenKind::Comment);
            return LineKind::Header;
        }
    }
    cursor.push_rest(TokenKind::Comment);
    LineKind::Comment
}

/// True if the instruction continues after the comment at the current position.
pub(super) fn is_inner_comment(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.rest();
    let Some(inside) = rest.strip_prefix(b"/*") else { return false };
    scan::encoded_word(rest).is_err()
        && find(inside, b"*/").is_some_and(|end| {
            !matches!(inside[end + 2..].trim_ascii_start().first(), None | Some(b'/' | b'#'))
        })
}

/// Reads `(*"BRANCH_TARGETS .L_x_28"*)`.
pub(super) fn targets(cursor: &mut Cursor<'_>) {
    match find(cursor.rest(), b"*)") {
        Some(end) => cursor.push(TokenKind::Targets, end + 2, 0),
        None => cursor.fail("expected `*)`"),
    }
}

/// Reads comments, encodings and tables after an instruction, a label or a directive.
pub(super) fn trailing(cursor: &mut Cursor<'_>) {
    loop {
        cursor.skip_spaces();
        match cursor.peek() {
            None => return,
            Some(b'/' | b'#') => {
                if !comment(cursor) {
                    return;
                }
            }
            Some(b'(') if cursor.rest().starts_with(b"(*") => targets(cursor),
            Some(b'[') => opaque_rest(cursor),
            Some(_) => return cursor.fail("expected the end of the line after `;`"),
        }
    }
}
