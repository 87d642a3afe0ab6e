//! Lexer for one line of text. [`Block`] is the only state passed from line to line.

mod block;
mod blocks;
mod comment;
mod control_text;
mod cursor;
mod directive;
mod eight;
mod inline;
mod instruction;
mod line;
mod scan;

pub(super) use block::Block;
pub(super) use control_text::{read as read_control, read_annotations};
pub(super) use cursor::{Body, LineError};
pub(super) use scan::word_value;

use super::{LineKind, Token};
use cursor::Cursor;

/// Kind and tokens of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LexedLine {
    pub kind: LineKind,
    /// The block of the next line.
    pub block: Block,
    /// The first error on the line.
    pub error: Option<LineError>,
    pub body: Body,
}

/// Maximum length in bytes of a line that is read.
const MAX_LINE: usize = u16::MAX as usize; // limit: offsets in a line are 16 bits wide

/// Reads one line, without its line end, and adds its tokens to `tokens`.
pub(super) fn lex_line(line: &str, block: Block, tokens: &mut Vec<Token>) -> LexedLine {
    if line.len() > MAX_LINE {
        let error = LineError { start: 0, end: 0, message: "expected a line of at most 65,535 bytes" };
        return LexedLine { kind: LineKind::Error, block, error: Some(error), body: Body::EMPTY };
    }
    let first = tokens.len();
    let mut cursor =
        Cursor { line: line.as_bytes(), at: 0, tokens, first, error: None, body: Body::EMPTY, opened: None };
    let (mut kind, mut next) = line::line(&mut cursor, block);
    if cursor.error.is_some() && inline::forgive(&mut cursor, block) {
        kind = LineKind::Opaque;
        next = if matches!(block, Block::Inline(_)) { next } else { block };
    }
    if let Some(opened) = cursor.opened {
        next = Block::Inline(opened.within(next));
    }
    let kind = if cursor.error.is_some() && kind != LineKind::Instruction { LineKind::Error } else { kind };
    LexedLine { kind, block: next, error: cursor.error, body: cursor.body }
}
