//! Text and line boundaries of byte ranges in an item.

use std::ops::Range;
use syntax::ptx::{Item, Statement};

/// Text of a byte range of an item.
pub(super) fn text<'a>(item: &'a Item, range: &Range<u32>) -> &'a str {
    &item.text()[range.start as usize..range.end as usize]
}

/// True if only white space precedes the byte offset on its line.
pub(super) fn starts_line(item: &Item, byte: u32) -> bool {
    let before = &item.text()[..byte as usize];
    let line =
        before.trim_end_matches(|letter: char| letter.is_whitespace() && !matches!(letter, '\n' | '\r'));
    line.is_empty() || line.ends_with(['\n', '\r'])
}

/// Byte range from the start of one statement to the end of another.
pub(super) fn span(item: &Item, first: &Statement, last: &Statement) -> Range<u32> {
    item.range(first).start..item.range(last).end
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}
