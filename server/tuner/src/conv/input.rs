//! The tile of the input: the elements that each thread loads, located by the indirection table.

use super::pixels::{AXES, Pixels};
use super::table::{ENTRY, GUARDS};
use crate::Element;
use crate::kernel::{
    Bank, DepthRange, MAX_LOADS, Pipeline, Register, Target, Tile, Writer, memory_type, ptx, vector, zeros,
};
use machine::units::WARP_SIZE;

/// Preferred number of pixels per thread; fewer if the block has many threads, more if it has few. limit: each pixel
/// takes four registers, but more pixels per thread read fewer table entries.
const PIXELS: u32 = 2;

/// Number of registers that a thread needs in addition to those of a matrix product: for its position in the table and
/// for the pixels that it writes. limit: an upper estimate, as a kernel whose registers do not fit cannot run.
const PLACES: u32 = 12;

/// A tile of the input, `pixels` by `depth` steps, which the threads of a block load together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InputTile {
    pub(super) element: Element,
    pub(super) pixels: u32,
    pub(super) depth: u32,
    pub(super) threads: u32,
}

impl InputTile {
    /// Number of adjacent threads along the pixel axis.
    pub(super) fn width(&self) -> u32 {
        let most = self.pixels.min(self.threads);
        WARP_SIZE.max(self.threads / self.depth).max(self.pixels / PIXELS).min(most)
    }

    fn pixels_of_thread(&self) -> u32 {
        self.pixels / self.width()
    }

    /// Number of consecutive steps that each thread loads.
    pub(super) fn steps_of_thread(&self) -> u32 {
        (self.depth * self.width() / self.threads).max(1)
    }

    /// Number of different steps that the lanes of a warp load. It is more than 1 if a tile has fewer pixels
    /// than a warp has lanes.
    pub(super) fn steps_of_warp(&self) -> u32 {
        (WARP_SIZE / self.width().min(WARP_SIZE)).min(self.depth / self.steps_of_thread())
    }

    /// Fraction of the warps that load elements. If there are more threads than elements, the last warps are
    /// idle.
    pub(super) fn busy_warps(&self) -> f64 {
        let busy = (self.width() * self.depth / self.steps_of_thread()).min(self.threads);
        f64::from(busy.div_ceil(WARP_SIZE)) / f64::from(self.threads.div_ceil(WARP_SIZE))
    }

    fn has_idle_threads(&self) -> bool {
        self.threads / self.width() > self.depth
    }

    pub(super) fn loads_of_thread(&self) -> u32 {
        self.pixels_of_thread() * self.steps_of_thread()
    }

    /// Number of integers that a thread reads from the table per tile.
    pub(super) fn entries_of_thread(&self) -> u32 {
        ENTRY * self.steps_of_thread()
    }

    /// Number of 32-bit registers for addresses, bounds, table entries, and elements that pass through registers.
    pub(super) fn registers(&self, pipeline: Pipeline) -> u32 {
        let kept = PLACES + 4 * self.pixels_of_thread() + self.entries_of_thread();
        let on_their_way = self.loads_of_thread() * self.element.bytes().div_ceil(4);
        kept + if pipeline.is_asynchronous() { 0 } else { on_their_way }
    }

    pub(super) const fn bytes(&self) -> u32 {
        self.depth * self.pixels * self.element.bytes()
    }

    pub(super) fn is_legal(&self, pipeline: Pipeline, target: Target) -> bool {
        self.loads_of_thread() <= MAX_LOADS
            && (!pipeline.is_asynchronous() || target.copies(self.element.bytes()))
    }

    /// The step and the position in the tile of each load, relative to the thread's first load.
    fn loads(&self) -> impl Iterator<Item = (u32, u32)> {
        let (pixels, width) = (self.pixels_of_thread(), self.width());
        (0..self.steps_of_thread()).flat_map(move |step| (0..pixels).map(move |pixel| (step, pixel * width)))
    }
}

/// Registers that locate the input and the pixels that the block computes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Image {
    pub(super) address: Register,
    pub(super) table: Register,
    /// Number of elements in an image: `C H W`.
    pub(super) elements: Register,
    /// H and W.
    pub(super) size: [Register; 2],
    /// R and S.
    pub(super) filter: [Register; 2],
    pub(super) pad: Register,
    pub(super) stride: Register,
    /// Number of steps in a sum: `C R S`.
    pub(super) steps: Register,
    /// N, P and Q.
    pub(super) extents: [Register; AXES],
    /// The block's first pixel.
    pub(super) first: [Register; AXES],
    pub(super) part: DepthRange,
}

/// An output pixel whose inputs a thread loads.
#[derive(Debug)]
struct Source {
    /// The address of the input element under the filter's first element; it may be in the padding.
    address: Register,
    /// The first r and s inside the image.
    inside: Register,
    /// The first r and s past the end of the image.
    outside: Register,
}

/// Tiles of the input that a thread helps to load.
#[derive(Debug)]
pub(super) struct Input {
    tile: InputTile,
    sources: Vec<Source>,
    table: Register,
    /// Entries of the table for the next tile.
    entries: Vec<Register>,
    /// The thread's first step in the tile after the next tile.
    step: Register,
    /// The step past the end of the block's range.
    end: Register,
    /// A spare step, past the last step of the sum, which reads no input.
    spare: Register,
    is_busy: Option<Register>,
    /// The thread's first element in shared memory.
    shared: Register,
}

impl Input {
    /// Emits the code that computes each thread's registers. The tiles are at the start of shared memory.
    pub(super) fn begin(
        w: &mut Writer,
        tile: InputTile,
        image: &Image,
        pixels: &Pixels,
        thread: Register,
    ) -> Self {
        let (group, lane) = w.split(thread, tile.width());
        let is_busy = tile.has_idle_threads().then(|| {
            let busy = w.predicate("setp.lt.u32", format_args!("{group}, {}", tile.depth));
            // Idle threads must also read valid table entries.
            ptx!(w, "and.b32 {group}, {group}, {}", tile.depth - 1);
            busy
        });
        let own = pixels.locate(w, lane, tile.width());
        for (own, first) in own.iter().zip(image.first) {
            ptx!(w, "add.u32 {own}, {own}, {first}");
        }
        let sources = (0..tile.pixels_of_thread())
            .map(|number| {
                let offset = pixels.pixel(number * tile.width());
                let at = [0, 1, 2]
                    .map(|axis: usize| w.word("add.u32", format_args!("{}, {}", own[axis], offset[axis])));
                Source::new(w, tile.element, image, at, is_busy)
            })
            .collect();
        let following = w.word("mul.lo.u32", format_args!("{group}, {}", tile.steps_of_thread()));
        let place = w.word("mad.lo.u32", format_args!("{following}, {}, {lane}", tile.pixels));
        let shared = w.word("mov.u32", format_args!("tiles"));
        ptx!(w, "mad.lo.u32 {shared}, {place}, {}, {shared}", tile.element.bytes());
        let step = w.word("add.u32", format_args!("{following}, {}", image.part.begin));
        // Two entries are read at once, so each pair begins at an even entry.
        let spare = w.word("add.u32", format_args!("{}, 1", image.steps));
        ptx!(w, "and.b32 {spare}, {spare}, -2");
        let entries = w.registers(Bank::Word, tile.entries_of_thread());
        let (table, end) = (image.table, image.part.end);
        let input = Self { tile, sources, table, entries, step, end, spare, is_busy, shared };
        input.advance(w);
        input
    }

    /// Emits the reads of the next tile's table entries. After the end of the block's steps, the entries of
    /// the spare steps are read.
    fn advance(&self, w: &mut Writer) {
        let is_left = w.predicate("setp.lt.u32", format_args!("{}, {}", self.step, self.end));
        let step = w.word("selp.u32", format_args!("{}, {}, {is_left}", self.step, self.spare));
        let bytes = ENTRY * 4;
        let at = w.long("mad.wide.u32", format_args!("{step}, {bytes}, {}", self.table));
        for (number, pair) in self.entries.chunks(4).enumerate() {
            let (names, suffix) = vector(pair);
            ptx!(w, "ld.global.nc{suffix}.u32 {names}, [{at}+{}]", 16 * number);
        }
        ptx!(w, "add.u32 {}, {}, {}", self.step, self.step, self.tile.depth);
    }

    /// The address of one load of the next tile, and a predicate that is true if the address is inside an
    /// image.
    fn next<'a>(&'a self, w: &mut Writer, step: u32, source: &'a Source) -> (Register, Register) {
        let entry = &self.entries[(ENTRY * step) as usize..];
        let address = w.long(
            "mad.wide.u32",
            format_args!("{}, {}, {}", entry[0], self.tile.element.bytes(), source.address),
        );
        // The highest bit of a field remains set if r or s is at least the subtracted value. It must remain
        // set only in the first difference.
        let since = w.word("sub.u32", format_args!("{}, {}", entry[1], source.inside));
        let until = w.word("sub.u32", format_args!("{}, {}", entry[1], source.outside));
        let missed = w.word("not.b32", format_args!("{since}"));
        ptx!(w, "or.b32 {missed}, {missed}, {until}");
        ptx!(w, "and.b32 {missed}, {missed}, {GUARDS}");
        (address, w.predicate("setp.eq.u32", format_args!("{missed}, 0")))
    }

    fn loads(&self) -> impl Iterator<Item = (u32, u32, &Source)> {
        self.tile
            .loads()
            .zip(self.sources.iter().cycle())
            .map(|((step, place), source)| (step, place, source))
    }

    /// Byte offset from the thread's first element in shared memory.
    const fn offset(&self, step: u32, place: u32) -> u32 {
        (step * self.tile.pixels + place) * self.tile.element.bytes()
    }
}

impl Source {
    fn new(
        w: &mut Writer,
        element: Element,
        image: &Image,
        at: [Register; AXES],
        is_busy: Option<Register>,
    ) -> Self {
        let mut is_inside = is_busy;
        for (at, extent) in at.into_iter().zip(image.extents) {
            is_inside = Some(match is_inside {
                None => w.predicate("setp.lt.u32", format_args!("{at}, {extent}")),
                Some(also) => w.predicate("setp.lt.and.u32", format_args!("{at}, {extent}, {also}")),
            });
        }
        let [n, p, q] = at;
        let begins = [p, q].map(|at| {
            let begin = w.word("mul.lo.u32", format_args!("{at}, {}", image.stride));
            w.word("sub.s32", format_args!("{begin}, {}", image.pad))
        });
        // Number of filter positions before the given index of the image, clamped to the size of the filter.
        let field = |w: &mut Writer, axis: usize, from: Option<Register>| {
            let begin = begins[axis];
            let places = match from {
                None => w.word("neg.s32", format_args!("{begin}")),
                Some(from) => w.word("sub.s32", format_args!("{from}, {begin}")),
            };
            ptx!(w, "max.s32 {places}, {places}, 0");
            ptx!(w, "min.s32 {places}, {places}, {}", image.filter[axis]);
            places
        };
        let packed = |w: &mut Writer, from: [Option<Register>; 2]| {
            let (rows, columns) = (field(w, 0, from[0]), field(w, 1, from[1]));
            w.word("mad.lo.u32", format_args!("{rows}, 65536, {columns}"))
        };
        let inside = packed(w, [None; 2]);
        let outside = packed(w, image.size.map(Some));
        if let Some(is_inside) = is_inside {
            ptx!(w, "selp.u32 {outside}, {outside}, 0, {is_inside}");
        }
        let index = w.long("mul.wide.u32", format_args!("{n}, {}", image.elements));
        ptx!(w, "mad.wide.s32 {index}, {}, {}, {index}", begins[0], image.size[1]);
        let column = w.long("cvt.s64.s32", format_args!("{}", begins[1]));
        ptx!(w, "add.s64 {index}, {index}, {column}");
        ptx!(w, "mad.lo.s64 {index}, {index}, {}, {}", element.bytes(), image.address);
        Self { address: index, inside, outside }
    }
}

impl Tile for Input {
    // Emits loads that return zeros for the padding, and for pixels and steps outside the bounds.
    fn fetch(&self, w: &mut Writer) -> Vec<Register> {
        let element = self.tile.element;
        let mut all = Vec::new();
        for (step, _, source) in self.loads() {
            let (address, takes) = self.next(w, step, source);
            let (into, of) = zeros(w, element, element.bytes());
            ptx!(w, "@{takes} ld.global.nc.{of} {}, [{address}]", into[0]);
            all.extend(into);
        }
        self.advance(w);
        all
    }

    fn store(&self, w: &mut Writer, fetched: &[Register], slot: Register) {
        let of = if self.tile.element == Element::F16 { "b16" } else { memory_type(self.tile.element) };
        let to = w.word("add.u32", format_args!("{}, {slot}", self.shared));
        let guard = self.is_busy.map_or_else(String::new, |busy| format!("@{busy} "));
        for ((step, place, _), register) in self.loads().zip(fetched) {
            ptx!(w, "{guard}st.shared.{of} [{to}+{}], {register}", self.offset(step, place));
        }
    }

    fn copy(&self, w: &mut Writer, slot: Register) {
        let bytes = self.tile.element.bytes();
        let to = w.word("add.u32", format_args!("{}, {slot}", self.shared));
        let guard = self.is_busy.map_or_else(String::new, |busy| format!("@{busy} "));
        for (step, place, source) in self.loads() {
            let (address, takes) = self.next(w, step, source);
            let size = w.word("selp.u32", format_args!("{bytes}, 0, {takes}"));
            let at = self.offset(step, place);
            ptx!(w, "{guard}cp.async.ca.shared.global [{to}+{at}], [{address}], {bytes}, {size}");
        }
        self.advance(w);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_element_of_a_tile_is_brought_in_once() {
        for (pixels, depth, threads) in
            [(128, 8, 256), (8, 4, 512), (512, 8, 64), (32, 64, 32), (16, 16, 1024)]
        {
            let tile = InputTile { element: Element::F32, pixels, depth, threads };
            let busy = (0..threads).filter(|thread| thread / tile.width() < depth);
            let mut found = BTreeSet::new();
            for thread in busy {
                let (group, lane) = (thread / tile.width(), thread % tile.width());
                for (step, place) in tile.loads() {
                    let at = (group * tile.steps_of_thread() + step, lane + place);
                    assert!(at.0 < depth && at.1 < pixels, "{tile:?}");
                    assert!(found.insert(at), "{tile:?} {at:?}");
                }
            }
            assert_eq!(found.len() as u32, pixels * depth, "{tile:?}");
        }
    }
}
