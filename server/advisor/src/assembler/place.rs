//! Places in an item at which findings are reported.

use std::ops::Range;
use syntax::ptx::{Operand, Token};

/// A place in an item, by its bytes.
pub(super) trait Place {
    fn bytes(self) -> Range<u32>;
}

impl Place for Range<u32> {
    fn bytes(self) -> Range<u32> {
        self
    }
}

impl Place for &Token {
    fn bytes(self) -> Range<u32> {
        self.start..self.end()
    }
}

impl Place for &Operand<'_> {
    fn bytes(self) -> Range<u32> {
        self.range().unwrap_or_default()
    }
}
