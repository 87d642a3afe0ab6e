//! Lexer that classifies lines by their first token.

use super::block::{Block, Inline};
use super::blocks::{mapping, opaque, tag};
use super::comment::{comment, hash_comment, is_inner_comment, trailing};
use super::control_text;
use super::cursor::Cursor;
use super::directive::{directive, label};
use super::inline::{InlineStart, opaque_rest, open_inline, starts_inline};
use super::instruction::instruction;
use super::scan::{self, find};
use crate::sass::{LineKind, TokenKind};

/// Reads a line. Returns its kind and the block of the next line.
pub(super) fn line(cursor: &mut Cursor<'_>, block: Block) -> (LineKind, Block) {
    cursor.skip_spaces();
    match block {
        Block::Code | Block::Comment => return opaque(cursor, block),
        Block::Mapping => return mapping(cursor),
        Block::Inline(kind) => return inside_inline(cursor, kind),
        Block::None => {}
    }
    let kind = match cursor.peek() {
        None => LineKind::Blank,
        Some(b'/') => return (slash(cursor), Block::None),
        Some(b'<') => return tag(cursor),
        Some(b'#') => hash_comment(cursor),
        Some(b'[') => bracket(cursor),
        Some(b'.') => dot(cursor),
        Some(b'@' | b'{' | b'}') => instruction(cursor),
        Some(b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' | b'=') => word_line(cursor),
        Some(_) => {
            cursor.fail("expected an instruction, a label, a directive or a comment");
            LineKind::Error
        }
    };
    (kind, Block::None)
}

/// Reads a line that starts with a slash: an address, an encoding, or a comment.
fn slash(cursor: &mut Cursor<'_>) -> LineKind {
    let rest = cursor.rest();
    if let Ok((after, address)) = scan::address(rest) {
        cursor.push(TokenKind::Address, rest.len() - after.len(), address);
        return after_address(cursor);
    }
    if cursor.take(TokenKind::Word, scan::encoded_word).is_some() {
        trailing(cursor);
        return LineKind::Word;
    }
    if let Some(name) = section_name(rest) {
        let start = cursor.at;
        cursor.at += name.start;
        tokens_around(cursor, start, name.len());
        return LineKind::Header;
    }
    if rest.starts_with(b"/*") {
        if !comment(cursor) {
            return LineKind::Error;
        }
        cursor.skip_spaces();
        return match cursor.peek() {
            None => LineKind::Comment,
            Some(b'/') => slash(cursor),
            Some(b'@' | b'{' | b'A'..=b'Z') => instruction(cursor),
            Some(_) => {
                trailing(cursor);
                LineKind::Comment
            }
        };
    }
    if comment(cursor) { LineKind::Comment } else { LineKind::Error }
}

/// Reads `//---- .text.name ----`. The dashes become a comment, and the name becomes a label.
fn tokens_around(cursor: &mut Cursor<'_>, start: usize, name: usize) {
    let at = cursor.at;
    cursor.at = start;
    // Form feeds before the name belong to the comment.
    let dashes = cursor.line[start..at].iter().rposition(|&byte| !scan::is_space(byte));
    cursor.push(TokenKind::Comment, dashes.map_or(0, |last| last + 1), 0);
    cursor.at = at;
    cursor.push(TokenKind::Label, name, 0);
    cursor.skip_spaces();
    cursor.push_rest(TokenKind::Comment);
}

/// Reads the text after an address: an instruction, or bytes of a data section.
fn after_address(cursor: &mut Cursor<'_>) -> LineKind {
    cursor.skip_spaces();
    match cursor.peek() {
        Some(b'.') => {
            directive(cursor);
            LineKind::Data
        }
        None => LineKind::Comment,
        // CuAssembler prints no instruction for padding. The comment is then the only other token.
        Some(b'/') if cursor.rest().starts_with(b"//") => {
            trailing(cursor);
            LineKind::Comment
        }
        Some(b'/') if !is_inner_comment(cursor) => {
            trailing(cursor);
            LineKind::Comment
        }
        Some(b'[') => bracket(cursor),
        Some(_) => instruction(cursor),
    }
}

/// Reads `[B------:R-:W-:Y:S08]` before an instruction, or inline code (`[- perl -]`).
fn bracket(cursor: &mut Cursor<'_>) -> LineKind {
    if cursor.take(TokenKind::Control, control_text::cuassembler).is_some() {
        return after_control(cursor);
    }
    inline_line(cursor).unwrap_or_else(|| {
        cursor.fail("expected a control code such as `[B--2---:R0:W-:Y:S08]`");
        LineKind::Instruction
    })
}

/// Reads an instruction with a control code of maxas or KeplerAs; `None` if no such code starts at the
/// current position.
fn controlled(cursor: &mut Cursor<'_>) -> Option<LineKind> {
    let has_code = cursor.take(TokenKind::Control, control_text::maxas).is_some()
        || cursor.take(TokenKind::Control, control_text::kepleras).is_some();
    has_code.then(|| after_control(cursor))
}

fn after_control(cursor: &mut Cursor<'_>) -> LineKind {
    cursor.skip_spaces();
    let rest = cursor.rest();
    if let Ok((after, address)) = scan::address(rest) {
        cursor.push(TokenKind::Address, rest.len() - after.len(), address);
        cursor.skip_spaces();
    }
    match cursor.peek() {
        None => {
            cursor.fail("expected an instruction after the control code");
            LineKind::Instruction
        }
        Some(_) => instruction(cursor),
    }
}

/// Reads `.L_x_0:` or `.section …`.
fn dot(cursor: &mut Cursor<'_>) -> LineKind {
    if label(cursor) {
        return LineKind::Label;
    }
    directive(cursor);
    LineKind::Directive
}

/// Reads a line that starts with a letter, a digit or a dash: a control code, a label, a header or an
/// instruction.
fn word_line(cursor: &mut Cursor<'_>) -> LineKind {
    if let Some(kind) = controlled(cursor) {
        return kind;
    }
    if label(cursor) {
        return LineKind::Label;
    }
    if let Some(kind) = cuobjdump_header(cursor) {
        return kind;
    }
    match cursor.peek() {
        Some(b'A'..=b'Z') => instruction(cursor),
        Some(b'-' | b'0'..=b'9') => {
            cursor.fail("expected a control code such as `01:-:2:Y:5` or `T:G:D:S:04`");
            LineKind::Instruction
        }
        _ => {
            cursor.fail("expected an instruction, a label, a directive or a comment");
            LineKind::Error
        }
    }
}

/// Reads a line that cuobjdump prints around functions: `Function : name`, `code for sm_90`, `arch = sm_90`, resource
/// usage.
fn cuobjdump_header(cursor: &mut Cursor<'_>) -> Option<LineKind> {
    let rest = cursor.rest();
    if rest.starts_with(b"Function : ") || rest.starts_with(b"code for ") {
        let words = if rest[0] == b'F' { b"Function :".len() } else { b"code for".len() };
        cursor.push(TokenKind::Directive, words, 0);
        cursor.skip_spaces();
        cursor.push_rest(TokenKind::Label);
        return Some(LineKind::Header);
    }
    let fatbin = rest.starts_with(b"Fatbin ") || rest.starts_with(b"====");
    let usage = rest.starts_with(b"Resource usage:")
        || rest.starts_with(b"Common:")
        || rest.starts_with(b"GLOBAL:")
        || rest.starts_with(b"REG:")
        || (rest.starts_with(b"Function ") && rest.trim_ascii_end().ends_with(b":"));
    // `host = linux`, `compile_size = 64bit`, `code version = [1,7]`.
    let field = rest[0].is_ascii_lowercase() && find(rest, b" = ").is_some();
    let lone = matches!(rest.trim_ascii_end(), b"compressed" | b"has debug info");
    if fatbin || usage || field || lone {
        cursor.push_rest(TokenKind::Directive);
        return Some(if rest.starts_with(b"Fatbin ") { LineKind::Header } else { LineKind::Directive });
    }
    None
}

/// Reads a line that starts with inline code; `None` for other lines.
fn inline_line(cursor: &mut Cursor<'_>) -> Option<LineKind> {
    let InlineStart { kind, length } = starts_inline(cursor.rest(), true)?;
    match length {
        Some(length) => cursor.push(TokenKind::Opaque, length, 0),
        None => open_inline(cursor, kind),
    }
    Some(after_inline(cursor))
}

/// Reads a line inside inline code that an earlier line opened.
fn inside_inline(cursor: &mut Cursor<'_>, kind: Inline) -> (LineKind, Block) {
    let block = Block::Inline(kind);
    if cursor.peek().is_none() {
        return (LineKind::Blank, block);
    }
    let Some(length) = kind.length(cursor.rest(), 0) else {
        cursor.push_rest(TokenKind::Opaque);
        return (LineKind::Opaque, block);
    };
    cursor.push(TokenKind::Opaque, length, 0);
    (after_inline(cursor), kind.outer())
}

/// Reads the text after inline code at the start of a line: an instruction with a control code, or opaque
/// text. The instruction does not depend on the inline code.
fn after_inline(cursor: &mut Cursor<'_>) -> LineKind {
    cursor.skip_spaces();
    match cursor.peek() {
        None => LineKind::Opaque,
        Some(b'/' | b'#') => {
            trailing(cursor);
            LineKind::Opaque
        }
        Some(_) => {
            if let Some(kind) = controlled(cursor) {
                kind
            } else {
                opaque_rest(cursor);
                LineKind::Opaque
            }
        }
    }
}

/// Byte range of the section name in `//--------------------- .text.name --------------------------`; `None`
/// for other lines.
fn section_name(line: &[u8]) -> Option<std::ops::Range<usize>> {
    let after = line.strip_prefix(b"//")?.trim_ascii_start();
    let dashes = after.iter().take_while(|&&byte| byte == b'-').count();
    if dashes < 10 {
        return None;
    }
    let middle = after[dashes..].trim_ascii_start();
    let start = line.len() - middle.len();
    let name = scan::symbol_length(middle);
    let tail = middle[name..].trim_ascii();
    (name > 0 && tail.len() >= 10 && tail.iter().all(|&byte| byte == b'-')).then_some(start..start + name)
}
