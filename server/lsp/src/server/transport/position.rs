//! Converts between the protocol's positions and byte offsets.
//!
//! A position is a line and a number of code units in the line, in the encoding agreed with the client. Lines
//! end at `\n`, `\r\n` or `\r`. Every position has an offset: a position after a line's end is moved to the
//! line's end, a position after the last line to the end of the text, and a position within a character to
//! the start of the character.

use ropey::Rope;
use std::ops::Range as ByteRange;
use tower_lsp_server::ls_types::{Position, PositionEncodingKind, Range};

/// The code units in which a client counts columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    /// Returns UTF-8 if the client offers UTF-8, which needs no conversion; otherwise the first offered
    /// encoding that the server knows; otherwise UTF-16, the protocol's default.
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

    /// Length of a text in code units.
    fn units(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Utf32 => text.chars().count(),
        }
    }

    /// Number of bytes before code unit `units` of a text, or the text's length if the text has fewer units.
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

/// Converts positions in one text. The last line is cached, so positions near each other are cheap.
#[derive(Debug)]
pub(crate) struct PositionConverter<'a> {
    text: &'a Rope,
    encoding: Encoding,
    line: LineIndex,
}

/// One line of the text.
#[derive(Debug)]
struct LineIndex {
    number: usize,
    /// Byte range of the line, without the line's end.
    bytes: ByteRange<usize>,
    /// The first byte of the next line, or the end of the text.
    next: usize,
    /// The line's text, unless the line is all ASCII.
    wide: Option<String>,
    /// The last position that was converted in `wide`, as an offset in bytes and in code units. Counting starts here
    /// instead of at the start of the line.
    mark: (usize, usize),
}

impl<'a> PositionConverter<'a> {
    pub(crate) fn new(text: &'a Rope, encoding: Encoding) -> Self {
        Self { text, encoding, line: LineIndex::read(text, 0) }
    }

    /// The byte offset of a position.
    pub(crate) fn offset(&mut self, position: Position) -> usize {
        let number = position.line as usize;
        if number >= self.text.len_lines() {
            return self.text.len_bytes();
        }
        if self.line.number != number {
            self.line = LineIndex::read(self.text, number);
        }
        let units = position.character as usize;
        let column = match &self.line.wide {
            None => units.min(self.line.bytes.len()),
            Some(text) => self.encoding.bytes(text, units),
        };
        self.line.bytes.start + column
    }

    /// The byte range of a protocol range. Swaps the ends of a range that ends before it starts.
    pub(crate) fn bytes(&mut self, range: Range) -> ByteRange<usize> {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        start.min(end)..start.max(end)
    }

    /// The position at a byte offset. An offset within a character or a line ending has the position before
    /// the character or line ending.
    pub(crate) fn position(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.text.len_bytes());
        let within = self.line.bytes.start <= offset && offset < self.line.next;
        if !within {
            self.line = LineIndex::read(self.text, self.text.byte_to_line(offset));
        }
        let column = offset.min(self.line.bytes.end) - self.line.bytes.start;
        let units = self.line.units(column, self.encoding);
        Position::new(self.line.number as u32, units as u32)
    }

    /// The column after the last character of a line.
    pub(crate) fn last_column(&mut self, line: u32) -> u32 {
        let end = self.offset(Position::new(line, u32::MAX));
        self.position(end).character
    }

    pub(crate) fn range(&mut self, bytes: &ByteRange<usize>) -> Range {
        Range::new(self.position(bytes.start), self.position(bytes.end))
    }
}

impl LineIndex {
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

    /// Number of code units in the line before its byte `column`.
    fn units(&mut self, column: usize, encoding: Encoding) -> usize {
        let Some(text) = &self.wide else { return column };
        let column = text.floor_char_boundary(column);
        let (bytes, units) = if self.mark.0 <= column { self.mark } else { (0, 0) };
        self.mark = (column, units + encoding.units(&text[bytes..column]));
        self.mark.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    fn kinds(names: &[&'static str]) -> Vec<PositionEncodingKind> {
        names.iter().map(|name| PositionEncodingKind::new(name)).collect()
    }

    #[test]
    fn utf_8_is_taken_where_it_is_offered() {
        assert_eq!(Encoding::negotiate(None), Encoding::Utf16);
        assert_eq!(Encoding::negotiate(Some(&kinds(&["utf-7"]))), Encoding::Utf16);
        assert_eq!(Encoding::negotiate(Some(&kinds(&["utf-32", "utf-16", "utf-8"]))), Encoding::Utf8);
        assert_eq!(Encoding::negotiate(Some(&kinds(&["utf-7", "utf-32", "utf-16"]))), Encoding::Utf32);
    }

    #[test]
    fn columns_count_the_agreed_units() {
        let text = Rope::from_str("a\n\u{e9}\u{1f680}b\r\nc");
        for (encoding, column) in [(Encoding::Utf8, 6), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            let mut places = PositionConverter::new(&text, encoding);
            assert_eq!(places.position(8), Position::new(1, column));
            assert_eq!(places.offset(Position::new(1, column)), 8);
        }
    }

    #[test]
    fn lines_end_as_the_protocol_says_and_nowhere_else() {
        let text = Rope::from_str("a\rb\r\nc\nd\u{2028}e\u{b}f\u{85}g");
        let mut places = PositionConverter::new(&text, Encoding::Utf32);
        assert_eq!(places.offset(Position::new(1, 0)), 2);
        assert_eq!(places.offset(Position::new(2, 0)), 5);
        assert_eq!(places.offset(Position::new(3, 6)), text.len_bytes() - 1);
        assert_eq!(places.offset(Position::new(4, 0)), text.len_bytes());
    }

    #[test]
    fn what_is_nowhere_is_clamped() {
        let text = Rope::from_str("\u{1f680}\r\n");
        let mut places = PositionConverter::new(&text, Encoding::Utf16);
        assert_eq!(places.offset(Position::new(0, 1)), 0);
        assert_eq!(places.offset(Position::new(0, u32::MAX)), 4);
        assert_eq!(places.offset(Position::new(u32::MAX, 0)), 6);
        assert_eq!(places.position(usize::MAX), Position::new(1, 0));
        assert_eq!(places.position(5), Position::new(0, 2));
        let turned = Range::new(Position::new(1, 0), Position::new(0, 0));
        assert_eq!(places.bytes(turned), 0..6);
    }

    /// Texts that exercise positions: narrow and wide characters, every line ending, and characters that only
    /// look like a line ending.
    fn text() -> impl Strategy<Value = String> {
        let pieces = select(vec![
            "a",
            "MOV ",
            ";",
            "\n",
            "\r\n",
            "\r",
            "\u{e9}",
            "\u{20ac}",
            "\u{1f680}",
            "\u{2028}",
            "\u{301}",
            "\t",
        ]);
        prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
    }

    /// The protocol's definition, taken literally: finds the line, then counts its code units character by character.
    fn position_by_definition(text: &str, offset: usize, encoding: Encoding) -> Position {
        let mut line = 0;
        let mut start = 0;
        loop {
            let content = text[start..].find(['\r', '\n']).map_or(text.len(), |at| start + at);
            let end_bytes =
                if text[content..].starts_with("\r\n") { 2 } else { usize::from(content < text.len()) };
            if offset < content + end_bytes || end_bytes == 0 {
                let before = text[start..offset.min(content)].chars();
                let units: usize = match encoding {
                    Encoding::Utf8 => before.map(char::len_utf8).sum(),
                    Encoding::Utf16 => before.map(char::len_utf16).sum(),
                    Encoding::Utf32 => before.count(),
                };
                return Position::new(line, units as u32);
            }
            line += 1;
            start = content + end_bytes;
        }
    }

    proptest! {
        #[test]
        fn every_place_survives_the_round_trip(text in text(), order in prop::collection::vec(any::<Index>(), 1..40)) {
            let rope = Rope::from_str(&text);
            let offsets: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            for encoding in ALL {
                let mut places = PositionConverter::new(&rope, encoding);
                // Then in any order: the cached line must not affect the results.
                for offset in offsets.iter().copied().chain(order.iter().map(|at| *at.get(&offsets))) {
                    let position = places.position(offset);
                    prop_assert_eq!(position, position_by_definition(&text, offset, encoding));
                    let within_line_end = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                    prop_assert_eq!(places.offset(position), offset - usize::from(within_line_end));
                }
            }
        }

        #[test]
        fn any_position_is_a_place_in_the_text(text in text(), line in 0_u32..70, character in 0_u32..70) {
            let rope = Rope::from_str(&text);
            for encoding in ALL {
                let mut places = PositionConverter::new(&rope, encoding);
                let offset = places.offset(Position::new(line, character));
                prop_assert!(text.is_char_boundary(offset));
                let back = places.position(offset);
                prop_assert!(back <= Position::new(line, character));
                prop_assert_eq!(places.offset(back), offset);
            }
        }
    }
}
