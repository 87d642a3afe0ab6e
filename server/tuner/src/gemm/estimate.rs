//! The time of a kernel by the static model alone: nothing is compiled, nothing is trained.
//!
//! Equations (2) and (3) of the paper: a launch takes what its slowest part takes, and each part is bound by throughput or, with few
//! warps, by latency. The parts here are those of one tile: products, issue, shared memory, loads through the L1 and L2 caches.

use super::kernel::{Kind, Plan};
use super::{Gemm, Tiling};
use crate::Element;
use crate::kernel::{Contiguous, OperandTile};
use machine::{Gpu, Pipeline};
use model::paper::occupancy::{BlockNeeds, occupancy};
use std::collections::BTreeSet;

/// What the static model says of a kernel and a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Of a thread, an upper estimate.
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

/// Instructions around a load that goes through registers, and around an asynchronous copy: predicate, address, zeros or size.
const AROUND_LOAD: f64 = 3.0;
/// Instructions of a pass that bring in no element: counters, addresses, branch, barriers.
const AROUND_TILE: f64 = 24.0;
/// Bytes of a wavefront: each bank delivers a word.
const WAVEFRONT_BYTES: f64 = 128.0;
const LINE_BYTES: f64 = 128.0;
const SECTOR_BYTES: f64 = 32.0;
const LANES: f64 = 32.0;
const BANKS: usize = 32;
const BANK_BYTES: u32 = 4;

/// What one warp does for one tile.
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

impl Tiling {
    /// The static model's estimate; `None` where the GPU's pipeline was not measured, or the kernel cannot run there.
    pub fn estimate(&self, gemm: &Gemm, gpu: &Gpu) -> Option<Estimate> {
        let kind = Kind::from(gemm);
        let pipeline = gpu.arch.pipeline.as_ref()?;
        let plan = Plan::new(kind, self);
        let launch = self.launch_of(gemm, &plan);
        let registers = plan.registers();
        let needs = BlockNeeds { threads: launch.threads, registers, shared: launch.shared_bytes };
        let resident = occupancy(&gpu.arch.resources, needs);
        if resident.active_blocks == 0 {
            return None;
        }
        let warp = self.per_warp(kind.element, &plan);
        let [x, y, z] = launch.grid.map(f64::from);
        let blocks = x * y * z;
        let sms = f64::from(gpu.part.sm_count.value);
        let chip = Chip { pipeline, sms, busy: (blocks / sms).min(1.0) };
        let passes = (f64::from(gemm.k) / z / f64::from(self.depth)).ceil();
        let block = self.block(gemm, &plan, &warp, &chip, passes);
        let of_sm = (blocks / sms).ceil();
        let turns = (of_sm / f64::from(resident.active_blocks)).ceil();
        let (limit, most) = block.throughput();
        let dram = Self::dram_cycles(gemm, pipeline);
        let running = either(&[of_sm * most, turns * block.latency, dram]);
        let limit = if dram > (of_sm * most).max(turns * block.latency) {
            Limit::Dram
        } else if turns * block.latency > of_sm * most {
            Limit::Latency
        } else {
            limit
        };
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

    fn per_warp(&self, element: Element, plan: &Plan) -> PerWarp {
        let bytes = f64::from(element.bytes());
        let steps = f64::from(self.depth / self.block_k);
        let pairs = if element == Element::F16 { 2.0 } else { 1.0 };
        let products = f64::from(self.thread_m * self.thread_n) / pairs * steps;
        let fragment = |elements: u32| {
            let vector = f64::from(elements.min(16 / element.bytes()));
            let loads = f64::from(elements) / vector;
            // Half of the lanes read what a neighbour reads too.
            (loads, loads * (vector * bytes * LANES / WAVEFRONT_BYTES / 2.0).max(1.0))
        };
        let (rows, row_wavefronts) = fragment(self.thread_m);
        let (columns, column_wavefronts) = fragment(self.thread_n);
        let is_asynchronous = plan.block.pipeline.is_asynchronous();
        let operands = [&plan.a, &plan.b].map(|operand| Moved::new(operand, is_asynchronous));
        let loads: f64 = operands.iter().map(|moved| moved.loads).sum();
        let stores: f64 = operands.iter().map(|moved| moved.stores).sum();
        PerWarp {
            products,
            issue: products + steps * (rows + columns) + loads * (1.0 + AROUND_LOAD) + stores + AROUND_TILE,
            wavefronts: steps * (row_wavefronts + column_wavefronts)
                + operands.iter().map(|moved| moved.wavefronts).sum::<f64>(),
            lines: operands.iter().map(|moved| moved.lines).sum(),
            steps,
        }
    }

    /// What a block takes of its SM, and how long it takes alone.
    fn block(&self, gemm: &Gemm, plan: &Plan, warp: &PerWarp, chip: &Chip<'_>, passes: f64) -> Block {
        let pipeline = chip.pipeline;
        let value = |figure: &machine::Known<u32>| f64::from(figure.value);
        let warps = f64::from(self.block_threads()) / LANES;
        let sub_cores = value(&pipeline.issue.sub_cores);
        let interval = match gemm.element {
            Element::F64 => value(&pipeline.fp64.interval),
            Element::F16 | Element::F32 => 1.0,
        };
        let element_bytes = f64::from(gemm.element.bytes());
        let tile_bytes = [&plan.a, &plan.b].map(Moved::sector_bytes).iter().sum::<f64>();
        let l2_rate =
            value(&pipeline.l2.requests) * value(&pipeline.l2.request_bytes) / (chip.sms * chip.busy);
        let l2_rate = l2_rate.min(SM_PATH_BYTES);

        // Behind the last tile: sums of the groups over shared memory, then the output.
        let rounds = f64::from(self.block_k.trailing_zeros());
        let sums = f64::from(self.thread_m * self.thread_n) * element_bytes / 4.0;
        let reduced = rounds * warps * sums;
        let rows = f64::from(self.block_m.min(gemm.m));
        let columns = f64::from(self.block_n.min(gemm.n));
        let output = rows * columns * element_bytes;
        let output_rate = if self.grid_k > 1 {
            f64::from(pipeline.l2.atomics.value) * self.added_bytes(gemm)
        } else {
            f64::from(pipeline.l2.stored_sectors.value) * SECTOR_BYTES
        };
        let written = output / (output_rate / (chip.sms * chip.busy)).min(SM_PATH_BYTES);

        // A stage of the SM serves two sub-cores at a time, whose single warps see twice the cycles.
        let of_stage = |figure: &machine::Known<u32>| value(figure) / 2.0;
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

        // A block alone: each step's products wait for fragments, loads for the L2 cache, all for the barrier.
        let shared_latency = value(&pipeline.shared.result) + 8.0;
        let of_scheduler = (warps / sub_cores).max(1.0);
        let per_step = (warp.issue / warp.steps).max(warp.products / warp.steps * interval) * of_scheduler;
        let step = either(&[per_step, shared_latency / 2.0]);
        let barrier = value(&pipeline.barrier.to) + value(&pipeline.barrier.meet) + of_scheduler * 4.0;
        let l2_latency = value(&pipeline.l2.latency) + 2.0 * value(&pipeline.global.result);
        let multiplied = warp.steps * step + shared_latency;
        let pass = match self.stages {
            1 => either(&[multiplied, l2_latency]) + 2.0 * barrier + shared_latency,
            2 => either(&[multiplied, l2_latency]) + barrier + shared_latency,
            stages => either(&[multiplied + barrier, l2_latency / f64::from(stages - 2)]),
        };
        let start = value(&pipeline.launch.first) + l2_latency * 2.0;
        let end = rounds * (sums * 2.0 + 2.0 * barrier) + sums + value(&pipeline.l2.latency);
        Block { parts, latency: start + passes * pass + end }
    }

    /// Bytes that one operation of the L2 cache adds: a sector, where lanes side by side go together, but for single halves.
    fn added_bytes(&self, gemm: &Gemm) -> f64 {
        let bytes = gemm.element.bytes();
        let of_lanes = f64::from((self.block_m * bytes).min(SECTOR_BYTES as u32));
        let is_single = gemm.m % 2 == 1;
        if gemm.element == Element::F16 && is_single { f64::from(bytes) } else { of_lanes }
    }

    /// Cycles for what must pass between DRAM and the L2 cache, where both inputs do not stay there from one launch to the next.
    fn dram_cycles(gemm: &Gemm, pipeline: &Pipeline) -> f64 {
        let [m, n, k] = [gemm.m, gemm.n, gemm.k].map(f64::from);
        let bytes = (m * k + k * n + m * n) * f64::from(gemm.element.bytes());
        let kept = f64::from(pipeline.l2.kilobytes.value) * 1000.0;
        if bytes < kept { 0.0 } else { bytes / f64::from(pipeline.dram.bytes_per_cycle.value) }
    }
}

/// What a block takes: cycles of each part of its SM were nothing else there, and from its start to its end were it alone.
struct Block {
    parts: [(Limit, f64); 5],
    latency: f64,
}

impl Block {
    /// The part that takes the most, and what all take that are near it.
    fn throughput(&self) -> (Limit, f64) {
        let most = self.parts.iter().max_by(|one, other| one.1.total_cmp(&other.1));
        let limit = most.map_or(Limit::Issue, |(limit, _)| *limit);
        (limit, either(&self.parts.map(|(_, cycles)| cycles)))
    }
}

/// A maximum that grows where several are near it, as then they do not always overlap: a norm of this order.
fn either(cycles: &[f64]) -> f64 {
    cycles.iter().map(|cycles| cycles.powf(ORDER)).sum::<f64>().powf(1.0 / ORDER)
}

const ORDER: f64 = 3.0;

/// Bytes a cycle from the L2 cache to one SM at most.
const SM_PATH_BYTES: f64 = 64.0;

/// The GPU and the share of its SMs that have a block.
struct Chip<'a> {
    pipeline: &'a Pipeline,
    sms: f64,
    busy: f64,
}

/// What a warp does to bring in its part of a tile of one matrix.
struct Moved {
    loads: f64,
    stores: f64,
    wavefronts: f64,
    lines: f64,
}

impl Moved {
    fn new(operand: &OperandTile, is_asynchronous: bool) -> Self {
        let loads = f64::from(operand.loads_of_thread());
        let bytes = f64::from(operand.vector * operand.element.bytes());
        let words = (bytes * LANES / WAVEFRONT_BYTES).max(1.0);
        let (lines, stores, wavefronts) = match operand.contiguous {
            Contiguous::Outer => (bytes * LANES / LINE_BYTES, loads, loads * words),
            Contiguous::Depth => {
                let row = f64::from(operand.depth * operand.element.bytes());
                let rows = LANES * bytes / row;
                let stores = loads * f64::from(operand.vector);
                (rows.max(1.0) * (row / LINE_BYTES).max(1.0), stores, stores * Self::scattered(operand))
            }
        };
        let stores = if is_asynchronous { 0.0 } else { stores };
        Self { loads, stores, wavefronts, lines: loads * lines.max(1.0) }
    }

    /// Wavefronts of a store whose lanes stand along the depth: the most words that meet in a bank.
    fn scattered(operand: &OperandTile) -> f64 {
        let bytes = operand.element.bytes();
        let along = operand.depth / operand.vector;
        let words = (0..LANES as u32).map(|lane| {
            let (outer, depth) = (lane / along, lane % along * operand.vector);
            (depth * operand.pitch() + outer) * bytes / BANK_BYTES
        });
        let words: BTreeSet<u32> = words.collect();
        let mut banks = [0_u32; BANKS];
        for word in words {
            banks[word as usize % BANKS] += 1;
        }
        let passes = if bytes > BANK_BYTES { bytes / BANK_BYTES } else { 1 };
        f64::from(banks.into_iter().max().unwrap_or(1).max(passes))
    }

    /// Bytes of the sectors of a whole tile.
    fn sector_bytes(operand: &OperandTile) -> f64 {
        let (along, across) = match operand.contiguous {
            Contiguous::Outer => (operand.outer, operand.depth),
            Contiguous::Depth => (operand.depth, operand.outer),
        };
        let run = f64::from(along * operand.element.bytes());
        (run / SECTOR_BYTES).ceil().max(1.0) * SECTOR_BYTES * f64::from(across)
    }
}
