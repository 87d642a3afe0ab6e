//! The work of a convolution kernel for a shape, as input of the static model.

use super::input::InputTile;
use super::kernel::Plan;
use super::pixels::Pixels;
use super::{Conv, Tiling};
use crate::Problem;
use crate::estimate::{Estimate, OutputTile, Span, TileLoad, TiledKernel};
use crate::kernel::Pipeline;
use machine::Gpu;
use machine::units::{LINE_BYTES, SECTOR_BYTES, WARP_SIZE, WAVEFRONT_BYTES};

/// Number of instructions around a load of the input: one for the address, three for the position in the image, two for
/// the predicate, and two for the zero fill or for the size of the copy.
///
/// Source: the code that `conv/input.rs` writes.
const AROUND_LOAD: f64 = 8.0;
/// Number of instructions per tile for the table entries of the next tile, excluding loads: a predicate, a step, an
/// address, and a counter.
///
/// Source: the code that `conv/input.rs` writes.
const AROUND_ENTRIES: f64 = 4.0;
/// Number of integers per load from the table. Source: the code that `conv/input.rs` writes.
const ENTRIES_LOADED: f64 = 4.0;
/// Bytes per integer of the table. Source: `conv/table.rs`.
const TABLE_BYTES: u32 = 4;

impl Tiling {
    /// The static model's estimate; `None` if the GPU's pipeline was not measured, or if the GPU cannot run
    /// the kernel.
    pub(super) fn estimate(&self, conv: &Conv, plan: &Plan, gpu: &Gpu) -> Option<Estimate> {
        let Plan { pixels, input, filter, block } = plan;
        let is_asynchronous = block.pipeline.is_asynchronous();
        let kernel = TiledKernel {
            element: conv.element,
            block,
            launch: self.launch(conv, plan),
            registers: plan.registers(),
            steps: conv.steps(),
            depth: self.depth,
            moved: [
                self.of_input(conv, input, pixels, block.pipeline),
                TileLoad::of_matrix(filter, conv.steps(), is_asynchronous),
            ],
            written: self.written(conv, pixels),
            bytes: conv.bytes(),
            fresh: (f64::from(self.depth) / f64::from(conv.r * conv.s)).min(1.0),
        };
        kernel.estimate(gpu)
    }

    /// The work to load a tile of the input into shared memory.
    fn of_input(&self, conv: &Conv, tile: &InputTile, pixels: &Pixels, pipeline: Pipeline) -> TileLoad {
        let loads = f64::from(tile.loads_of_thread());
        let element_bytes = f64::from(tile.element.bytes());
        let stores = if pipeline.is_asynchronous() { 0.0 } else { loads };
        let table = (f64::from(tile.entries_of_thread()) / ENTRIES_LOADED).ceil();
        let width = tile.width().min(WARP_SIZE);
        // Number of steps from the first lane to the last lane.
        let steps = (tile.steps_of_warp() - 1) * tile.steps_of_thread() + 1;
        let table_bytes = f64::from(tile.steps_of_warp() * tile.entries_of_thread() * TABLE_BYTES);
        let busy = tile.busy_warps();
        TileLoad {
            instructions: loads * (1.0 + AROUND_LOAD) + stores + table + AROUND_ENTRIES,
            wavefronts: busy
                * loads
                * (element_bytes * f64::from(WARP_SIZE) / f64::from(WAVEFRONT_BYTES)).max(1.0),
            lines: busy
                * (loads * lines(conv, pixels, width, steps)
                    + table.max(table_bytes / f64::from(LINE_BYTES))),
            bytes: self.input_bytes(conv),
        }
    }

    /// Images, rows and columns of the output that a block covers.
    fn covered(&self, conv: &Conv) -> [u32; 3] {
        [(self.block_n, conv.n), (self.block_p, conv.p()), (self.block_q, conv.q())]
            .map(|(block, size)| block.min(size))
    }

    /// Bytes of the sectors that a tile of the input touches. Adjacent filter positions read mostly the same
    /// sectors, which hit in L1.
    pub(super) fn input_bytes(&self, conv: &Conv) -> f64 {
        let [images, rows, columns] = self.covered(conv).map(f64::from);
        let (stride, depth) = (f64::from(conv.stride), f64::from(self.depth));
        let filter_columns = f64::from(conv.s).min(depth);
        let filter_rows = f64::from(conv.r).min((depth / filter_columns).ceil());
        let channels = depth / (filter_columns * filter_rows);
        // If there are few rows and the stride is over 1, the rows in between are not read.
        let span = |pixels: f64, filter: f64| ((pixels - 1.0) * stride + filter).min(pixels * filter);
        let run = ((columns - 1.0) * stride + filter_columns) * f64::from(conv.element.bytes());
        let sectors = Span::SECTOR.under_runs(span(rows, filter_rows), run, row_bytes(conv, conv.w));
        images * channels.max(1.0) * sectors * f64::from(SECTOR_BYTES)
    }

    /// The stores of a block's tile of the output.
    pub(super) fn written(&self, conv: &Conv, pixels: &Pixels) -> OutputTile {
        let [images, rows, columns] = self.covered(conv);
        OutputTile {
            element: conv.element,
            lines: f64::from(images * rows * self.block_k.min(conv.k)),
            elements: columns,
            run: pixels.run,
            extent: conv.q(),
            adds: self.grid_c > 1,
        }
    }
}

/// Bytes between the starts of adjacent rows of `pixels` pixels.
fn row_bytes(conv: &Conv, pixels: u32) -> u64 {
    u64::from(pixels) * u64::from(conv.element.bytes())
}

/// Number of cache lines touched by a load whose lanes cover the given numbers of pixels and steps. In both,
/// the column index varies fastest: a row is filled before the next one starts.
pub(super) fn lines(conv: &Conv, pixels: &Pixels, lanes: u32, steps: u32) -> f64 {
    let [images, rows, columns] = pixels.of_places(lanes).map(f64::from);
    let stride = f64::from(conv.stride);
    let filter_columns = steps.min(conv.s);
    let filter_rows = f64::from(steps) / f64::from(filter_columns);
    let run = ((columns - 1.0) * stride + f64::from(filter_columns)) * f64::from(conv.element.bytes());
    let step = row_bytes(conv, conv.w) * u64::from(conv.stride);
    images * filter_rows * Span::LINE.under_runs(rows, run, step)
}
