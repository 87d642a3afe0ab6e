//! The stores of a block's tile of the output.

use super::Span;
use crate::Element;
use machine::units::SECTOR_BYTES;

/// A block's tile of the output: lines of elements that are contiguous in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputTile {
    pub(crate) element: Element,
    /// Number of lines.
    pub(crate) lines: f64,
    /// Number of elements per line.
    pub(crate) elements: u32,
    /// Number of contiguous elements per thread. The thread writes them as one vector if all lines begin at a multiple
    /// of this number.
    pub(crate) run: u32,
    /// Number of elements between the starts of adjacent lines of the entire output.
    pub(crate) extent: u32,
    /// True if the block adds to the output instead of storing it.
    pub(crate) adds: bool,
}

impl OutputTile {
    /// Number of L2 cache operations: one per sector that a warp's store touches, or one per element if half-precision
    /// elements are added one by one.
    pub(crate) fn operations(&self) -> f64 {
        if self.adds_halves() {
            return self.lines * f64::from(self.elements);
        }
        let bytes = self.element.bytes();
        let sectors = Span::SECTOR.under(f64::from(self.elements * bytes), u64::from(self.extent * bytes));
        // Lanes whose elements are not adjacent touch the same sectors with each of their stores.
        let neighbours = (f64::from(SECTOR_BYTES) / f64::from(bytes)).min(f64::from(self.elements));
        self.lines * sectors * f64::from(self.run / self.width()).min(neighbours)
    }

    /// True if half-precision elements are added one by one. Each addition takes a loop of a load and a
    /// compare-and-swap, because no instruction adds a single half-precision element.
    pub(crate) fn adds_halves(&self) -> bool {
        self.element == Element::F16 && self.adds && self.width() == 1
    }

    /// Elements per store.
    fn width(&self) -> u32 {
        let is_aligned = |width: u32| width <= self.run && self.extent.is_multiple_of(width);
        let pair = if self.element == Element::F16 && self.adds { 2 } else { 1 };
        [self.run, pair].into_iter().find(|width| is_aligned(*width)).unwrap_or(1)
    }
}
