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
        let launch = self.launch(gemm);
        let registers = self.registers(kind);
        let needs = BlockNeeds { threads: launch.threads, registers, shared: launch.shared_bytes };
        let resident = occupancy(&gpu.arch.resources, needs);
        if resident.active_blocks == 0 {
            return None;
        }
        let plan = Plan::new(kind, self);
        let warp = self.per_warp(kind.element, &plan);
        let [x, y, z] = launch.grid.map(f64::from);
        let blocks = x * y * z;
        let sms = f64::from(gpu.part.sm_count.value);
        let passes = (f64::from(gemm.k) / z / f64::from(self.depth)).ceil();
        let slots = f64::from(resident.active_blocks);
        let waves = (blocks / (slots * sms)).floor();
        let rest = ((blocks - waves * slots * sms) / sms).ceil();

        let chip = Chip { pipeline, sms, busy: (blocks / sms).min(1.0) };
        let wave = |resident: f64| self.wave(gemm, &plan, &warp, &chip, passes, resident);
        let (of_wave, limit) = wave(if waves > 0.0 { slots } else { rest });
        let tail = if rest > 0.0 && waves > 0.0 { wave(rest).0 } else { 0.0 };
        let dram = self.dram_cycles(gemm, pipeline);
        let running = waves.max(if waves > 0.0 { 0.0 } else { 1.0 }) * of_wave + tail;
        let launches = if launch.adds { 2.0 } else { 1.0 };
        let start = f64::from(pipeline.launch.base.value) / 2.0 * launches;
        let (running, limit) = if dram > running { (dram, Limit::Dram) } else { (running, limit) };
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

    /// Cycles of an SM that works on so many blocks at once from their start to their end, and what takes them.
    fn wave(
        &self,
        gemm: &Gemm,
        plan: &Plan,
        warp: &PerWarp,
        chip: &Chip<'_>,
        passes: f64,
        resident: f64,
    ) -> (f64, Limit) {
        let pipeline = chip.pipeline;
        let value = |figure: &machine::Known<u32>| f64::from(figure.value);
        let warps = f64::from(self.block_threads()) / LANES;
        let all = warps * resident;
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
        let parts = [
            (Limit::Products, all * warp.products * interval / sub_cores),
            (Limit::Issue, all * warp.issue / sub_cores),
            (Limit::SharedMemory, all * warp.wavefronts),
            (Limit::L1Cache, all * warp.lines * value(&pipeline.global.line)),
            (Limit::L2Cache, resident * tile_bytes / l2_rate),
        ];
        let (limit, throughput) =
            parts.into_iter().max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or((Limit::Issue, 0.0));
        // A warp alone: each step's products wait for fragments, loads for the L2 cache, all for the barrier.
        let shared_latency = value(&pipeline.shared.result) + 8.0;
        let of_scheduler = (warps / sub_cores).max(1.0);
        let step = (warp.products / warp.steps * interval * of_scheduler).max(shared_latency / 2.0);
        let barrier = value(&pipeline.barrier.to) + value(&pipeline.barrier.meet);
        let l2_latency = value(&pipeline.l2.latency) + 2.0 * value(&pipeline.global.result);
        let multiplied = warp.steps * step + shared_latency;
        let latency = match self.stages {
            1 => multiplied.max(l2_latency) + 2.0 * barrier + shared_latency,
            2 => multiplied.max(l2_latency) + barrier + shared_latency,
            stages => (multiplied + barrier).max(l2_latency / f64::from(stages - 1)),
        };
        let (pass, limit) =
            if latency > throughput { (latency, Limit::Latency) } else { (throughput, limit) };
        let start = value(&pipeline.launch.first) + l2_latency * 2.0;
        (start + passes * pass + self.end_cycles(gemm, chip, resident, element_bytes), limit)
    }

    /// Cycles from the last product to the last store.
    fn end_cycles(&self, gemm: &Gemm, chip: &Chip<'_>, resident: f64, element_bytes: f64) -> f64 {
        let pipeline = chip.pipeline;
        let threads = f64::from(self.block_threads()) * resident;
        let of_thread = f64::from(self.thread_m * self.thread_n);
        let rounds = f64::from(self.block_k.trailing_zeros());
        let reduction = rounds * (threads / LANES * of_thread * element_bytes / 4.0 + 60.0);
        let rows = f64::from(self.block_m.min(gemm.m));
        let columns = f64::from(self.block_n.min(gemm.n));
        let bytes = rows * columns * element_bytes * resident;
        let rate = if self.grid_k > 1 {
            f64::from(pipeline.l2.atomics.value) * 4.0
        } else {
            f64::from(pipeline.l2.stored_sectors.value) * SECTOR_BYTES
        };
        reduction + bytes * chip.sms * chip.busy / rate + f64::from(pipeline.l2.latency.value)
    }

    /// Cycles for what must pass between DRAM and the L2 cache, where both inputs do not stay there from one launch to the next.
    fn dram_cycles(&self, gemm: &Gemm, pipeline: &Pipeline) -> f64 {
        let [m, n, k] = [gemm.m, gemm.n, gemm.k].map(f64::from);
        let bytes = (m * k + k * n + m * n) * f64::from(gemm.element.bytes());
        let kept = f64::from(pipeline.l2.kilobytes.value) * 1000.0;
        if bytes < kept { 0.0 } else { bytes / f64::from(pipeline.dram.bytes_per_cycle.value) }
    }
}

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
                let vector = f64::from(operand.vector);
                (rows.max(1.0) * (row / LINE_BYTES).max(1.0), loads * vector, loads * words.max(vector))
            }
        };
        let stores = if is_asynchronous { 0.0 } else { stores };
        Self { loads, stores, wavefronts, lines: loads * lines.max(1.0) }
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
