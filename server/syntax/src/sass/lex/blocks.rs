//! Lexer for lines of the assemblers' blocks, and for the tags around them.

use super::block::Block;
use super::comment::{comment, hash_comment, trailing};
use super::cursor::Cursor;
use super::inline::{inline_word, is_inline, opaque_rest};
use super::scan;
use crate::sass::{LineKind, TokenKind};

/// `<REGISTER_MAPPING>`, `</CODE>`, `<INCLUDE file="…"/>`.
pub(super) fn tag(cursor: &mut Cursor<'_>) -> (LineKind, Block) {
    let rest = cursor.rest();
    let Some(end) = rest.iter().position(|&byte| byte == b'>') else {
        cursor.fail("expected `>` at the end of the tag");
        return (LineKind::Error, Block::None);
    };
    let inside = &rest[1..end];
    cursor.push(TokenKind::Directive, end + 1, 0);
    trailing(cursor);
    if inside.ends_with(b"/") || inside.starts_with(b"/") {
        return (LineKind::Directive, Block::None);
    }
    let name = inside.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count();
    let is = |tags: &[&str]| tags.iter().any(|tag| inside[..name].eq_ignore_ascii_case(tag.as_bytes()));
    let block = if is(&["CODE"]) {
        Block::Code
    } else if is(&["COMMENT"]) {
        Block::Comment
    } else if is(&["REGISTER_MAPPING", "CONSTANT_MAPPING", "PARAMS", "REGS", "CONSTS", "SMEM"]) {
        Block::Mapping
    } else {
        Block::None
    };
    (LineKind::Directive, block)
}

/// Reads a line of a block in another language, or the tag that ends the block.
pub(super) fn opaque(cursor: &mut Cursor<'_>, block: Block) -> (LineKind, Block) {
    let rest = cursor.rest();
    let end: &[u8] = if block == Block::Code { b"</code" } else { b"</comment" };
    if rest.get(..end.len()).is_some_and(|start| start.eq_ignore_ascii_case(end)) {
        return tag(cursor);
    }
    if rest.is_empty() {
        return (LineKind::Blank, block);
    }
    cursor.push_rest(TokenKind::Opaque);
    (LineKind::Opaque, block)
}

/// Reads a line of a mapping block. Its entries are in the assembler's language.
pub(super) fn mapping(cursor: &mut Cursor<'_>) -> (LineKind, Block) {
    match cursor.peek() {
        None => (LineKind::Blank, Block::Mapping),
        Some(b'<') => tag(cursor),
        Some(b'#') => (hash_comment(cursor), Block::Mapping),
        Some(b'[') if is_inline(cursor) => {
            opaque_rest(cursor);
            (LineKind::Opaque, Block::Mapping)
        }
        Some(b'/') => {
            let ended = comment(cursor);
            map_entry(cursor);
            (if ended { LineKind::Comment } else { LineKind::Error }, Block::Mapping)
        }
        Some(_) => {
            map_entry(cursor);
            (LineKind::Mapping, Block::Mapping)
        }
    }
}

/// Reads `0-63 ~ blk, ldx<0|2>[1]` or `param_C[0] : c[0x0][0x140]`.
fn map_entry(cursor: &mut Cursor<'_>) {
    loop {
        cursor.skip_spaces();
        let rest = cursor.rest();
        match cursor.peek() {
            None => return,
            Some(b'#') => return cursor.push_rest(TokenKind::Comment),
            Some(b'/') if rest.starts_with(b"//") => return cursor.push_rest(TokenKind::Comment),
            Some(byte) if scan::is_word(byte) => {
                let len = scan::word_length(rest);
                cursor.push(TokenKind::Name, len, 0);
            }
            Some(b'[') if is_inline(cursor) => inline_word(cursor),
            Some(byte) if byte.is_ascii_punctuation() => cursor.push(TokenKind::Punct, 1, u32::from(byte)),
            Some(_) => return cursor.fail("expected registers, `:` or `~`, and names"),
        }
    }
}
