//! Between the protocol's positions and byte offsets.
//!
//! A position is a line and a count of code units in it, in the encoding agreed with the client. Lines end at `\n`,
//! `\r\n` or `\r`. Every position has an offset: what lies behind a line's end stands for the end, what lies behind the
//! last line for the end of the text, and what lies within a character for its start.

use ropey::Rope;
use std::ops::Range as ByteRange;
use tower_lsp_server::ls_types::{Position, PositionEncodingKind, Range};

/// What a client's columns count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    /// Utf-8 where it is offered, as it needs no conversion; else the first that is known; else utf-16, as the protocol
    /// lays down.
    pub(crate) fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Self {
        let mut known = offered.unwrap_or_default().iter().filter_map(|kind| match kind.as_str() {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        });
        let first = known.next();
        if first == Some(Self::Utf8) || known.any(|kind| kind == Self::Utf8) {
            return Self::Utf8;
        }
        first.unwrap_or(Self::Utf16)
    }

    pub(crate) const fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// The code units that a text takes.
    fn units(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Utf32 => text.chars().count(),
        }
    }

    /// The bytes of a text before its code unit `units`, at most all.
    fn bytes(self, text: &str, units: usize) -> usize {
        if self == Self::Utf8 {
            return text.floor_char_boundary(units);
        }
        let mut left = units;
        for (at, character) in text.char_indices() {
            let width = if self == Self::Utf16 { character.len_utf16() } else { 1 };
            if left < width {
                return at;
            }
            left -= width;
        }
        text.len()
    }
}

/// Converts places of one text. Places near each other cost little: the last line is remembered.
#[derive(Debug)]
pub(crate) struct Places<'a> {
    text: &'a Rope,
    encoding: Encoding,
    line: Line,
}

/// One line of the text.
#[derive(Debug)]
struct Line {
    number: usize,
    /// Its bytes, without the line's end.
    bytes: ByteRange<usize>,
    /// The first byte of the next line, or the end of the text.
    next: usize,
    /// The bytes themselves, where they are not all ASCII.
    wide: Option<String>,
    /// A place in `wide` as bytes and code units, from which the next one behind it is counted.
    mark: (usize, usize),
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a Rope, encoding: Encoding) -> Self {
        Self { text, encoding, line: Line::read(text, 0) }
    }

    /// The byte that a position stands before.
    pub(crate) fn offset(&mut self, position: Position) -> usize {
        let number = position.line as usize;
        if number >= self.text.len_lines() {
            return self.text.len_bytes();
        }
        if self.line.number != number {
            self.line = Line::read(self.text, number);
        }
        let units = position.character as usize;
        let column = match &self.line.wide {
            None => units.min(self.line.bytes.len()),
            Some(text) => self.encoding.bytes(text, units),
        };
        self.line.bytes.start + column
    }

    /// The bytes of a range; one whose end lies before its start is turned round.
    pub(crate) fn bytes(&mut self, range: Range) -> ByteRange<usize> {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        start.min(end)..start.max(end)
    }

    /// The position before a byte; an offset within a character or a line's end gives the position before that.
    pub(crate) fn position(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.text.len_bytes());
        let within = self.line.bytes.start <= offset && offset < self.line.next;
        if !within {
            self.line = Line::read(self.text, self.text.byte_to_line(offset));
        }
        let column = offset.min(self.line.bytes.end) - self.line.bytes.start;
        let units = self.line.units(column, self.encoding);
        Position::new(self.line.number as u32, units as u32)
    }

    /// The column behind the last character of a line.
    pub(crate) fn last_column(&mut self, line: u32) -> u32 {
        let end = self.offset(Position::new(line, u32::MAX));
        self.position(end).character
    }

    pub(crate) fn range(&mut self, bytes: &ByteRange<usize>) -> Range {
        Range::new(self.position(bytes.start), self.position(bytes.end))
    }
}

impl Line {
    fn read(text: &Rope, number: usize) -> Self {
        let start = text.line_to_byte(number);
        let next = text.line_to_byte(number + 1);
        let slice = text.byte_slice(start..next);
        let from_end = |back: usize| slice.len_bytes().checked_sub(back).map(|at| slice.byte(at));
        let break_bytes = match (from_end(2), from_end(1)) {
            (Some(b'\r'), Some(b'\n')) => 2,
            (_, Some(b'\n' | b'\r')) => 1,
            _ => 0,
        };
        let bytes = start..next - break_bytes;
        let ascii = slice.chunks().all(str::is_ascii);
        let wide = (!ascii).then(|| text.byte_slice(bytes.clone()).to_string());
        Self { number, bytes, next, wide, mark: (0, 0) }
    }

    /// The code units before the byte `column` of the line.
    fn units(&mut self, column: usize, encoding: Encoding) -> usize {
        let Some(text) = &self.wide else { return column };
        let column = text.floor_char_boundary(column);
        let (bytes, units) = if self.mark.0 <= column { self.mark } else { (0, 0) };
        self.mark = (column, units + encoding.units(&text[bytes..column]));
        self.mark.1
    }
}
