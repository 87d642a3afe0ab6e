//! A block's part of the output on its way to the L2 cache.

use super::Span;
use crate::Element;
use machine::units::SECTOR_BYTES;

/// A block's part of the output: lines of elements that are neighbours in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    pub(crate) element: Element,
    /// Lines, and elements of each one.
    pub(crate) lines: f64,
    pub(crate) elements: u32,
    /// Neighbours that a thread has, which it writes as a vector where all lines begin at a multiple of that.
    pub(crate) run: u32,
    /// Elements from one line of the whole output to the next.
    pub(crate) extent: u32,
    /// Adds to what is there.
    pub(crate) adds: bool,
}

impl Written {
    /// Operations of the L2 cache: one for each sector under a store of a warp, or for each half where these are added one by one.
    pub(crate) fn operations(&self) -> f64 {
        if self.adds_halves() {
            return self.lines * f64::from(self.elements);
        }
        let bytes = self.element.bytes();
        let sectors = Span::SECTOR.under(f64::from(self.elements * bytes), u64::from(self.extent * bytes));
        // Lanes whose elements are not side by side meet the same sectors with each of their stores.
        let neighbours = (f64::from(SECTOR_BYTES) / f64::from(bytes)).min(f64::from(self.elements));
        self.lines * sectors * f64::from(self.run / self.width()).min(neighbours)
    }

    /// Single halves are added: a loop of a load and a compare-and-swap for each, as there is no such instruction.
    pub(crate) fn adds_halves(&self) -> bool {
        self.element == Element::F16 && self.adds && self.width() == 1
    }

    /// Elements of a store.
    fn width(&self) -> u32 {
        let is_aligned = |width: u32| width <= self.run && self.extent.is_multiple_of(width);
        let pair = if self.element == Element::F16 && self.adds { 2 } else { 1 };
        [self.run, pair].into_iter().find(|width| is_aligned(*width)).unwrap_or(1)
    }
}
