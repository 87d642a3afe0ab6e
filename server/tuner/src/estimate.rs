//! The time of a kernel by the static model alone: nothing is compiled, nothing is trained.
//!
//! Equations (2) and (3) of the paper: a launch takes what its slowest part takes, and each part is bound by throughput or, with few
//! warps, by latency. The parts here are those of one tile: products, issue, shared memory, loads through the L1 and L2 caches.

mod moved;
mod taken;
mod units;
mod written;

pub(crate) use moved::Moved;
pub(crate) use taken::{Taken, either};
pub(crate) use units::{LANES, LINE_BYTES, SECTOR_BYTES, Unit, WAVEFRONT_BYTES};
pub(crate) use written::Written;

use crate::Element;
use crate::kernel::{Block, Launch};
use machine::{Gpu, Known, Pipeline};
use model::paper::occupancy::{BlockNeeds, occupancy};

/// The static model's figures of a kernel and a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The registers of a thread, an upper estimate.
    pub registers: u32,
    /// Share of an SM's warps.
    pub occupancy: f64,
    /// Blocks that an SM holds.
    pub resident_blocks: u32,
    /// Cycles from launch to end, and the launch that zeroes C where the kernel adds.
    pub cycles: f64,
    pub limit: Limit,
}

impl Estimate {
    /// Columns by which a network may be given the static model's figures.
    pub const COLUMNS: [&str; 3] = ["resident_blocks", "occupancy", "static_cycles"];

    /// The numbers of [`Self::COLUMNS`]: blocks that the whole GPU holds at once, share of an SM's warps, cycles.
    pub fn columns(&self, gpu: &Gpu) -> [f64; 3] {
        let resident = f64::from(self.resident_blocks * gpu.part.sm_count.value);
        [resident, self.occupancy, self.cycles]
    }
}

/// The part that takes the most time of a full SM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    Products,
    Issue,
    SharedMemory,
    L1Cache,
    L2Cache,
    Dram,
    /// Too few warps wait at the same time.
    Latency,
}

impl Limit {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Products => "products",
            Self::Issue => "issue",
            Self::SharedMemory => "shared memory",
            Self::L1Cache => "L1 cache",
            Self::L2Cache => "L2 cache",
            Self::Dram => "DRAM",
            Self::Latency => "latency",
        }
    }
}

/// Instructions of a pass that bring in no element: counters, addresses, branch, barriers.
const AROUND_TILE: f64 = 24.0;

/// The work of one warp for one tile.
struct PerWarp {
    /// Instructions that multiply.
    products: f64,
    /// All instructions.
    issue: f64,
    /// Wavefronts of shared memory.
    wavefronts: f64,
    /// Lines that pass the L1 cache.
    lines: f64,
    /// Steps that each wait for the fragments of the step before.
    steps: f64,
}

/// The work of a kernel for a shape, as far as its time depends on it.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    pub(crate) element: Element,
    pub(crate) block: &'a Block,
    pub(crate) launch: Launch,
    /// The registers of a thread.
    pub(crate) registers: u32,
    /// Products of each sum.
    pub(crate) steps: u32,
    /// Steps of a tile.
    pub(crate) depth: u32,
    /// The ways of both tiles into shared memory.
    pub(crate) moved: [Moved; 2],
    pub(crate) written: Written,
    /// Bytes of both inputs and of the output.
    pub(crate) bytes: [u64; 3],
    /// Share of the passes that load what none before them did.
    pub(crate) fresh: f64,
}

impl Work<'_> {
    /// The static model's estimate; `None` where the GPU's pipeline was not measured, or no block fits an SM.
    pub(crate) fn estimate(&self, gpu: &Gpu) -> Option<Estimate> {
        let pipeline = gpu.arch.pipeline.as_ref()?;
        let Self { launch, registers, .. } = *self;
        let needs = BlockNeeds { threads: launch.threads, registers, shared: launch.shared_bytes };
        let resident = occupancy(&gpu.arch.resources, needs);
        if resident.active_blocks == 0 {
            return None;
        }
        let [x, y, z] = launch.grid.map(f64::from);
        let blocks = x * y * z;
        let sms = f64::from(gpu.part.sm_count.value);
        let chip = Chip { pipeline, sms, busy: (blocks / sms).min(1.0) };
        let passes = (f64::from(self.steps) / z / f64::from(self.depth)).ceil();
        let block = self.taken(&chip, passes);
        let of_sm = (blocks / sms).ceil();
        let turns = (of_sm / f64::from(resident.active_blocks)).ceil();
        let (limit, running) = block.running(of_sm, turns, self.dram_cycles(pipeline));
        let launches = if launch.adds { 2.0 } else { 1.0 };
        let start = f64::from(pipeline.launch.base.value) / 2.0 * launches;
        let share = f64::from(resident.active_warps) / f64::from(resident.max_warps.max(1));
        Some(Estimate {
            registers,
            occupancy: share,
            resident_blocks: resident.active_blocks,
            cycles: start + running,
            limit,
        })
    }

    fn sums_of_thread(&self) -> f64 {
        f64::from(self.block.rows.elements() * self.block.columns.elements())
    }

    /// The work of each warp for a tile.
    fn per_warp(&self) -> PerWarp {
        let Block { rows, columns, steps, .. } = self.block;
        let bytes = f64::from(self.element.bytes());
        let steps = f64::from(*steps);
        let pairs = if self.element == Element::F16 { 2.0 } else { 1.0 };
        let products = self.sums_of_thread() / pairs * steps;
        let fragment = |vector: u32, loads: usize| {
            let loads = loads as f64;
            // Half of the lanes read what a neighbour reads too.
            (loads, loads * (f64::from(vector) * bytes * LANES / WAVEFRONT_BYTES / 2.0).max(1.0))
        };
        let (row_loads, row_wavefronts) = fragment(rows.vector, rows.vectors.len());
        let (column_loads, column_wavefronts) = fragment(columns.vector, columns.vectors.len());
        let of_tiles = |of: fn(&Moved) -> f64| self.moved.iter().map(of).sum::<f64>();
        PerWarp {
            products,
            issue: products
                + steps * (row_loads + column_loads)
                + of_tiles(|moved| moved.instructions)
                + AROUND_TILE,
            wavefronts: steps * (row_wavefronts + column_wavefronts) + of_tiles(|moved| moved.wavefronts),
            lines: of_tiles(|moved| moved.lines),
            steps,
        }
    }

    /// The cycles that a block takes of its SM, and those that it takes alone.
    fn taken(&self, chip: &Chip<'_>, passes: f64) -> Taken<5> {
        let warp = self.per_warp();
        let pipeline = chip.pipeline;
        let value = |figure: &Known<u32>| f64::from(figure.value);
        let warps = f64::from(self.launch.threads) / LANES;
        let sub_cores = value(&pipeline.issue.sub_cores);
        let interval = match self.element {
            Element::F64 => value(&pipeline.fp64.interval),
            Element::F16 | Element::F32 => 1.0,
        };
        let tile_bytes: f64 = self.moved.iter().map(|moved| moved.bytes).sum();
        let l2_rate =
            value(&pipeline.l2.requests) * value(&pipeline.l2.request_bytes) / (chip.sms * chip.busy);
        let l2_rate = l2_rate.min(SM_PATH_BYTES);

        // After the last tile: sums of the groups over shared memory, then the output.
        let rounds = f64::from(self.block.threads.groups.trailing_zeros());
        let sums = self.sums_of_thread() * f64::from(self.element.bytes()) / 4.0;
        let reduced = rounds * warps * sums;
        let figures = &pipeline.l2;
        let output_rate = value(if self.launch.adds { &figures.atomics } else { &figures.stored_sectors });
        let output_rate = (output_rate / (chip.sms * chip.busy)).min(SM_PATH_BYTES / SECTOR_BYTES);
        let written = self.written.operations() / output_rate;

        // A stage of the SM serves two sub-cores at a time, whose single warps see twice the cycles.
        let of_stage = |figure: &Known<u32>| value(figure) / 2.0;
        let parts = [
            (Limit::Products, passes * warps * warp.products * interval / sub_cores),
            (Limit::Issue, passes * warps * warp.issue / sub_cores),
            (
                Limit::SharedMemory,
                (passes * warps * warp.wavefronts + reduced) * of_stage(&pipeline.shared.wavefront),
            ),
            (Limit::L1Cache, passes * warps * warp.lines * of_stage(&pipeline.global.line)),
            (Limit::L2Cache, passes * tile_bytes / l2_rate + written),
        ];

        // A block alone: each step's products wait for fragments, loads for the L2 cache or DRAM, all for the barrier.
        let shared_latency = value(&pipeline.shared.result) + 8.0;
        let of_scheduler = (warps / sub_cores).max(1.0);
        let per_step = (warp.issue / warp.steps).max(warp.products / warp.steps * interval) * of_scheduler;
        let step = either(&[per_step, shared_latency / 2.0]);
        let barrier = value(&pipeline.barrier.to) + value(&pipeline.barrier.meet) + of_scheduler * 4.0;
        let dram_latency = f64::midpoint(value(&pipeline.dram.near), value(&pipeline.dram.far));
        let [a, b, _] = self.bytes;
        let missed = if stays(&[a, b], pipeline) { 0.0 } else { self.fresh };
        let arrival = value(&pipeline.l2.latency) * (1.0 - missed) + dram_latency * missed;
        let load_latency = arrival + 2.0 * value(&pipeline.global.result);
        let multiplied = warp.steps * step + shared_latency;
        let pass = match self.block.pipeline.stages {
            1 => either(&[multiplied, load_latency]) + 2.0 * barrier + shared_latency,
            2 => either(&[multiplied, load_latency]) + barrier + shared_latency,
            stages => either(&[multiplied + barrier, load_latency / f64::from(stages - 2)]),
        };
        let start = value(&pipeline.launch.first) + load_latency * 2.0;
        let round_trips = if self.written.adds_halves() { 2.0 * self.sums_of_thread() } else { 1.0 };
        let end = rounds * (sums * 2.0 + 2.0 * barrier) + sums + round_trips * value(&pipeline.l2.latency);
        Taken { parts, latency: start + passes * pass + end }
    }

    /// Cycles for what must pass between DRAM and the L2 cache.
    fn dram_cycles(&self, pipeline: &Pipeline) -> f64 {
        let rate = f64::from(pipeline.dram.bytes_per_cycle.value);
        if stays(&self.bytes, pipeline) { 0.0 } else { self.bytes.iter().sum::<u64>() as f64 / rate }
    }
}

/// Whether matrices of these sizes, in bytes, stay in the L2 cache from one launch to the next.
fn stays(bytes: &[u64], pipeline: &Pipeline) -> bool {
    bytes.iter().sum::<u64>() < u64::from(pipeline.l2.kilobytes.value) * 1000
}

/// Bytes a cycle from the L2 cache to one SM at most.
const SM_PATH_BYTES: f64 = 64.0;

/// The GPU and the share of its SMs that have a block.
struct Chip<'a> {
    pipeline: &'a Pipeline,
    sms: f64,
    busy: f64,
}
