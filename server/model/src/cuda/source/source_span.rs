//! Source positions in a translation unit.

use std::ops::Range;

/// A source position: the index of an item, and a byte range within the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceSpan {
    pub item: u32,
    pub start: u32,
    pub end: u32,
}

impl SourceSpan {
    pub fn new(item: u32, range: &Range<u32>) -> Self {
        Self { item, start: range.start, end: range.end }
    }

    /// Returns the byte range within the item.
    pub fn range(&self) -> Range<u32> {
        self.start..self.end
    }
}
