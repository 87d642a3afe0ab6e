//! The work of a convolution's kernel for a shape, for the static model.

use super::input::InputTile;
use super::kernel::Plan;
use super::pixels::Pixels;
use super::{Conv, Tiling};
use crate::estimate::{Estimate, LANES, Moved, SECTOR_BYTES, Unit, WAVEFRONT_BYTES, Work};
use crate::kernel::Pipeline;
use crate::{Element, Problem};
use machine::Gpu;

/// Instructions around a load of the input: the entry's address, three for its place in the image, two for the predicate, zeros or size.
const AROUND_LOAD: f64 = 8.0;
/// Instructions of a tile for the entries of the next one, beside their loads: a predicate, a step, an address, a counter.
const AROUND_ENTRIES: f64 = 4.0;
/// Integers in one load of the table.
const ENTRIES_LOADED: f64 = 4.0;

impl Tiling {
    /// The static model's estimate; `None` where the GPU's pipeline was not measured, or the kernel cannot run there.
    pub fn estimate(&self, conv: &Conv, gpu: &Gpu) -> Option<Estimate> {
        self.estimate_of(conv, &Plan::new(conv.element, self), gpu)
    }

    /// The same for who has the plan.
    pub(super) fn estimate_of(&self, conv: &Conv, plan: &Plan, gpu: &Gpu) -> Option<Estimate> {
        let Plan { pixels, input, filter, block } = plan;
        let is_asynchronous = block.pipeline.is_asynchronous();
        let work = Work {
            element: conv.element,
            block,
            launch: self.launch_of(conv, plan),
            registers: plan.registers(),
            steps: conv.steps(),
            depth: self.depth,
            moved: [
                self.of_input(conv, input, pixels, block.pipeline),
                Moved::of_matrix(filter, conv.steps(), is_asynchronous),
            ],
            written: self.written(conv, pixels),
            adds_halves: self.adds_halves(conv, pixels),
            least_bytes: conv.bytes().into_iter().sum::<u64>() as f64,
        };
        work.estimate(gpu)
    }

    /// The way of a tile of the input.
    fn of_input(&self, conv: &Conv, tile: &InputTile, pixels: &Pixels, pipeline: Pipeline) -> Moved {
        let loads = f64::from(tile.loads_of_thread());
        let element_bytes = f64::from(tile.element.bytes());
        let stores = if pipeline.is_asynchronous() { 0.0 } else { loads };
        let table = f64::from(tile.entries_of_thread()) / ENTRIES_LOADED;
        let width = tile.width().min(LANES as u32);
        // Where pixels are few, lanes stand along steps too.
        let groups = LANES / f64::from(width);
        Moved {
            instructions: loads * (1.0 + AROUND_LOAD) + stores + table + AROUND_ENTRIES,
            wavefronts: loads * (element_bytes * LANES / WAVEFRONT_BYTES).max(1.0),
            lines: (loads * lines(conv, pixels, width) + table.ceil()) * groups,
            bytes: self.input_bytes(conv),
        }
    }

    /// Images, rows and columns of the output in a block.
    fn covered(&self, conv: &Conv) -> [f64; 3] {
        [(self.block_n, conv.n), (self.block_p, conv.p()), (self.block_q, conv.q())]
            .map(|(block, size)| f64::from(block.min(size)))
    }

    /// Bytes of the sectors of a tile of the input. Neighbouring places of the filter read mostly the same ones, which the L1 cache has.
    pub(super) fn input_bytes(&self, conv: &Conv) -> f64 {
        let [images, rows, columns] = self.covered(conv);
        let (stride, depth) = (f64::from(conv.stride), f64::from(self.depth));
        let filter_columns = f64::from(conv.s).min(depth);
        let filter_rows = f64::from(conv.r).min((depth / filter_columns).ceil());
        let channels = depth / (filter_columns * filter_rows);
        // With few rows and a stride, rows in between are not read.
        let span = |pixels: f64, filter: f64| ((pixels - 1.0) * stride + filter).min(pixels * filter);
        let run = ((columns - 1.0) * stride + filter_columns) * f64::from(conv.element.bytes());
        let sectors = Unit::SECTOR.under(run, row_bytes(conv, conv.w));
        images * channels.max(1.0) * span(rows, filter_rows) * sectors * SECTOR_BYTES
    }

    /// Operations of the L2 cache for a block's part of the output: sectors, which lanes side by side write together, or single halves.
    pub(super) fn written(&self, conv: &Conv, pixels: &Pixels) -> f64 {
        let [images, rows, columns] = self.covered(conv);
        let lines = images * rows * f64::from(self.block_k.min(conv.k));
        if self.adds_halves(conv, pixels) {
            return lines * columns;
        }
        let run = columns * f64::from(conv.element.bytes());
        lines * Unit::SECTOR.under(run, row_bytes(conv, conv.q()))
    }

    fn adds_halves(&self, conv: &Conv, pixels: &Pixels) -> bool {
        conv.element == Element::F16 && self.grid_c > 1 && (pixels.run < 2 || conv.q() % 2 == 1)
    }
}

/// Bytes from one row of so many pixels to the next.
fn row_bytes(conv: &Conv, pixels: u32) -> u64 {
    u64::from(pixels) * u64::from(conv.element.bytes())
}

/// Lines under a load of so many lanes, which stand along columns, then along rows and images.
pub(super) fn lines(conv: &Conv, pixels: &Pixels, lanes: u32) -> f64 {
    let [images, rows, columns] = pixels.of_places(lanes).map(f64::from);
    let run = ((columns - 1.0) * f64::from(conv.stride) + 1.0) * f64::from(conv.element.bytes());
    images * rows * Unit::LINE.under(run, row_bytes(conv, conv.w))
}
