//! The work of the tuner's own kernels: blocks of threads that multiply tiles in shared memory.

use super::{Estimate, Figures, Fragments, OutputTile, OutputTraffic, Products, Stages, TileLoad, Work};
use crate::Element;
use crate::kernel::{Block, Fragment, Launch};
use machine::units::{WARP_SIZE, WAVEFRONT_BYTES};
use machine::{Gpu, StaticModel};
use model::paper::occupancy::{BlockNeeds, occupancy};

/// The properties of a kernel and a shape that determine its time.
#[derive(Debug)]
pub(crate) struct TiledKernel<'a> {
    pub(crate) element: Element,
    pub(crate) block: &'a Block,
    pub(crate) launch: Launch,
    /// Registers per thread.
    pub(crate) registers: u32,
    /// Products per sum.
    pub(crate) steps: u32,
    /// Steps per tile.
    pub(crate) depth: u32,
    /// The work of loading each input's tile into shared memory.
    pub(crate) moved: [TileLoad; 2],
    pub(crate) written: OutputTile,
    /// Bytes of each input and of the output.
    pub(crate) bytes: [u64; 3],
    /// Fraction of the passes whose tiles were not loaded by an earlier pass.
    pub(crate) fresh: f64,
}

impl TiledKernel<'_> {
    /// The static model's estimate; `None` if the GPU's pipeline was not measured, or if no block fits an SM.
    pub(crate) fn estimate(&self, gpu: &Gpu) -> Option<Estimate> {
        let figures = Figures::measured(gpu)?;
        let Self { launch, registers, .. } = *self;
        let needs = BlockNeeds { threads: launch.threads, registers, shared: launch.shared_bytes };
        let resident = occupancy(&gpu.arch.resources, needs);
        if resident.active_blocks == 0 {
            return None;
        }
        let time = self.work(gpu, &figures, resident.active_blocks).time(&figures);
        Some(Estimate {
            registers,
            occupancy: f64::from(resident.active_warps) / f64::from(resident.max_warps.max(1)),
            resident_blocks: resident.active_blocks,
            cycles: time.cycles,
            limit: time.limit,
        })
    }

    fn work(&self, gpu: &Gpu, figures: &Figures, resident_blocks: u32) -> Work {
        let [x, y, z] = self.launch.grid.map(f64::from);
        let warps = f64::from(self.launch.threads) / f64::from(WARP_SIZE);
        let steps = f64::from(self.block.steps);
        let pairs = if self.element == Element::F16 { 2.0 } else { 1.0 };
        let sums = f64::from(self.block.rows.elements() * self.block.columns.elements());
        let products = sums / pairs * steps;
        let merged = f64::from(gpu.arch.requests.shared_load_merge.value);
        let [(row_loads, row_wavefronts), (column_loads, column_wavefronts)] =
            [&self.block.rows, &self.block.columns].map(|fragment| self.loads(fragment, merged));
        let of_tiles = |amount: fn(&TileLoad) -> f64| self.moved.iter().map(amount).sum::<f64>();
        let issue = products
            + steps * (row_loads + column_loads)
            + of_tiles(|moved| moved.instructions)
            + f64::from(StaticModel::builtin().pass_instructions.value);
        let rate = match self.element {
            Element::F64 => figures.sub_cores / figures.fp64_interval,
            Element::F16 | Element::F32 => figures.sub_cores,
        };
        let [inputs @ .., _] = &self.bytes;
        let is_kept = |bytes: &[u64]| (bytes.iter().sum::<u64>() as f64) < figures.l2_size;
        let written = self.written.operations();
        Work {
            blocks: x * y * z,
            launches: if self.launch.adds { 2.0 } else { 1.0 },
            resident_blocks: f64::from(resident_blocks),
            warps,
            passes: (f64::from(self.steps) / z / f64::from(self.depth)).ceil(),
            products: Products {
                operations: warps * products,
                rate,
                rate_alone: rate * figures.busy_sub_cores(warps),
            },
            issue: warps * issue,
            wavefronts: warps
                * (steps * (row_wavefronts + column_wavefronts) + of_tiles(|moved| moved.wavefronts)),
            lines: warps * of_tiles(|moved| moved.lines),
            l2_bytes: of_tiles(|moved| moved.bytes),
            dram_bytes: if is_kept(&self.bytes) { 0.0 } else { self.bytes.iter().sum::<u64>() as f64 },
            missed: if is_kept(inputs) { 0.0 } else { self.fresh },
            fragments: Fragments::Loaded { steps },
            stages: match self.block.pipeline.stages {
                1 => Stages { ahead: 1.0, inner_barriers: 0.0, outer_barriers: 2.0, refills: true },
                2 => Stages { ahead: 1.0, inner_barriers: 0.0, outer_barriers: 1.0, refills: true },
                stages => Stages {
                    ahead: f64::from(stages - 2),
                    inner_barriers: 1.0,
                    outer_barriers: 0.0,
                    refills: false,
                },
            },
            rounds: f64::from(self.block.threads.groups.trailing_zeros()),
            sums: sums * f64::from(self.element.bytes()) / 4.0,
            stored: if self.launch.adds {
                OutputTraffic::Atomics(written)
            } else {
                OutputTraffic::Sectors(written)
            },
            round_trips: if self.written.adds_halves() { 2.0 * sums } else { 1.0 },
        }
    }

    /// Number of loads per warp and step of a fragment, and number of their wavefronts. Adjacent lanes that read the
    /// same elements share a wavefront.
    fn loads(&self, fragment: &Fragment, merged: f64) -> (f64, f64) {
        let loads = fragment.vectors.len() as f64;
        let bytes = f64::from(fragment.vector * self.element.bytes() * WARP_SIZE);
        (loads, loads * (bytes / f64::from(WAVEFRONT_BYTES) / merged).max(1.0))
    }
}
