//! The product of a block: its threads, its tiles in shared memory, and the code that turns tiles into complete sums.

use super::pipeline::{Pipeline, Tiles};
use super::product::{Fragment, Product, Sums};
use super::threads::{Arrangement, ThreadPosition};
use super::writer::{Register, Writer, ptx};
use crate::Element;
use machine::SmResources;

/// Number of registers for addresses, counters and materialised predicates. limit: an upper estimate, as a kernel whose
/// registers do not fit cannot run.
const ADDRESSES: u32 = 28;

/// Maximum number of unrolled products of a thread per tile. limit: larger loops exceed the instruction cache, and
/// ptxas needs minutes to compile them.
const MAX_PRODUCTS: u32 = 2048;

/// A block that multiplies a tile of rows by a tile of columns, for each range of the depth.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) element: Element,
    pub(crate) threads: Arrangement,
    pub(crate) pipeline: Pipeline,
    /// Bytes of the tile of rows. The tile of columns follows it in shared memory.
    pub(crate) rows_bytes: u32,
    /// Number of independent sums along the depth in each thread.
    pub(crate) sums: u32,
    /// Number of steps along the depth that a group of threads multiplies per tile.
    pub(crate) steps: u32,
    pub(crate) rows: Fragment,
    pub(crate) columns: Fragment,
}

/// A block's range of the depth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DepthRange {
    pub(crate) begin: Register,
    pub(crate) end: Register,
    /// Number of tiles, at least one. A tile may lie entirely past the end.
    pub(crate) tiles: Register,
}

impl Block {
    fn product(&self) -> Product {
        Product {
            element: self.element,
            rows: self.rows.clone(),
            columns: self.columns.clone(),
            sums: self.sums,
            steps: self.steps,
        }
    }

    /// Shared memory of a block in bytes: enough for its tiles and, after the main loop, for the sums of half of its
    /// groups in place of the tiles.
    pub(crate) fn shared_bytes(&self) -> u32 {
        let sums = self.rows.elements() * self.columns.elements() * self.element.bytes();
        self.pipeline.bytes().max(self.threads.groups / 2 * self.threads.group_threads() * sums)
    }

    /// Upper estimate of registers per thread: sums, two steps of fragments, addresses, and the registers of
    /// its operands.
    pub(crate) fn registers(&self, of_operands: u32) -> u32 {
        let words = |elements: u32| (elements * self.element.bytes()).div_ceil(4);
        let (rows, columns) = (self.rows.elements(), self.columns.elements());
        let spread = if self.element == Element::F16 { 2 } else { 1 };
        words(rows * columns) * self.sums
            + 2 * (words(rows) + spread * words(columns))
            + of_operands
            + ADDRESSES
    }

    /// True if a GPU with these resources can run the block with this many registers per thread.
    pub(crate) fn is_legal(&self, registers: u32, sm: &SmResources) -> bool {
        let threads = self.threads.threads();
        if threads < sm.warp_size || threads > sm.max_threads_per_block.value {
            return false;
        }
        if self.rows.elements() * self.columns.elements() * self.steps > MAX_PRODUCTS {
            return false;
        }
        let most = sm.max_registers_per_thread.value.min(sm.registers_per_block.value / threads);
        registers <= most && self.shared_bytes() <= sm.shared_per_block.value
    }

    /// Emits the multiplication of the given number of tiles. Afterwards the first group of threads holds the
    /// complete sums.
    pub(crate) fn multiply(
        &self,
        w: &mut Writer,
        thread: Register,
        tiles: Register,
        source: Tiles<'_>,
    ) -> (Sums, ThreadPosition) {
        let place = self.threads.place(w, thread);
        let bytes = self.element.bytes();
        let read = |w: &mut Writer, at: Register, fragment: &Fragment, following: u32| {
            let first = w.word("mul.lo.u32", format_args!("{at}, {}", fragment.vector));
            let group = self.steps * fragment.pitch;
            ptx!(w, "mad.lo.u32 {first}, {}, {group}, {first}", place.group);
            let address = w.word("mov.u32", format_args!("tiles"));
            ptx!(w, "mad.lo.u32 {address}, {first}, {bytes}, {address}");
            w.word("add.u32", format_args!("{address}, {following}"))
        };
        let rows = read(w, place.row, &self.rows, 0);
        let columns = read(w, place.column, &self.columns, self.rows_bytes);

        let product = self.product();
        let sums = product.zeroed(w);
        self.pipeline.run(w, tiles, source, &|w, slot| {
            let rows = w.word("add.u32", format_args!("{rows}, {slot}"));
            let columns = w.word("add.u32", format_args!("{columns}, {slot}"));
            product.add(w, &sums, rows, columns);
        });
        product.reduce(w, &sums, self.threads, place);
        (sums, place)
    }
}

impl DepthRange {
    /// Returns the block's range of an axis that has `steps` steps, in tiles of `depth` steps. The block's index along
    /// z of the grid selects the range. If the axis is not split, the range is the complete axis.
    pub(crate) fn for_block(w: &mut Writer, steps: Register, depth: u32, is_split: bool) -> Self {
        let log_depth = depth.trailing_zeros();
        let all = w.word("add.u32", format_args!("{steps}, {}", depth - 1));
        let tiles = w.word("shr.u32", format_args!("{all}, {log_depth}"));
        if !is_split {
            let begin = w.word("mov.u32", format_args!("0"));
            return Self { begin, end: steps, tiles };
        }
        // The number of ranges is read from the launch, so that one kernel serves all splits.
        let parts = w.word("mov.u32", format_args!("%nctaid.z"));
        let part = w.word("mov.u32", format_args!("%ctaid.z"));
        ptx!(w, "add.u32 {tiles}, {tiles}, {parts}");
        ptx!(w, "sub.u32 {tiles}, {tiles}, 1");
        ptx!(w, "div.u32 {tiles}, {tiles}, {parts}");
        let each = w.word("shl.b32", format_args!("{tiles}, {log_depth}"));
        let begin = w.word("mul.lo.u32", format_args!("{part}, {each}"));
        let end = w.word("add.u32", format_args!("{begin}, {each}"));
        let end = w.word("min.u32", format_args!("{end}, {steps}"));
        Self { begin, end, tiles }
    }
}
