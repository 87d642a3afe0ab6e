//! The time of a configuration.
//!
//! Equations (2) and (3) of the ISAAC paper, as for the tuner's own kernels: a launch takes what its slowest part takes, and each part
//! is bound by throughput or, with few warps, by latency.

use super::needs::{Needs, NotRun};
use super::product::{NoRate, unit};
use super::{Product, Tile, Unit};
use crate::Limit;
use crate::estimate::{Taken, either};
use machine::Gpu;
use model::OccupancyLimiter;
use model::paper::occupancy::occupancy;

/// The static model's figures of a configuration and a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub needs: Needs,
    pub unit: Unit,
    /// Blocks of the launch.
    pub blocks: u64,
    /// Blocks that an SM holds.
    pub resident_blocks: u32,
    /// Share of an SM's warps, 0 to 1, and what limits it.
    pub occupancy: f64,
    pub occupancy_limiter: OccupancyLimiter,
    /// Blocks over those that the GPU holds at a time.
    pub waves: f64,
    pub cycles: f64,
    pub limit: Limit,
    /// Bytes that pass from the L2 cache to the SMs, and between it and DRAM, with nothing in the cache before.
    pub l2_bytes: f64,
    pub dram_bytes: f64,
    /// Whether the time that the L2 cache takes is in the cycles: its rate is known.
    pub is_l2_known: bool,
}

/// Estimates the time of a configuration. `Ok(Err)` for one that cannot run there, `Err` where no rate is known for the GPU.
pub fn estimate(product: &Product, tile: &Tile, gpu: &Gpu) -> Result<Result<Estimate, NotRun>, NoRate> {
    let (unit, rate) = unit(product, tile, gpu)?;
    let needs = Needs::new(product, tile, unit, gpu);
    let block_needs = match needs.check(gpu) {
        Ok(block_needs) => block_needs,
        Err(why) => return Ok(Err(why)),
    };
    let resident = occupancy(&gpu.arch.resources, block_needs);
    if resident.active_blocks == 0 {
        let most = gpu.arch.resources.shared_per_sm.value;
        return Ok(Err(NotRun::Shared { needed: needs.shared, most }));
    }
    let sms = f64::from(gpu.part.sm_count.value);
    let rows = u64::from(product.m.div_ceil(tile.block_m.max(1)));
    let columns = u64::from(product.n.div_ceil(tile.block_n.max(1)));
    let blocks = rows * columns * u64::from(tile.split_k.max(1));
    let at_once = f64::from(resident.active_blocks) * sms;
    let of_sm = (blocks as f64 / sms).ceil();
    let share = f64::from(resident.active_warps) / f64::from(resident.max_warps.max(1));
    let traffic = Traffic::new(product, tile, rows, columns, at_once.min(blocks as f64), gpu);
    let parts = Parts { product, tile, unit, rate, gpu, busy: (blocks as f64 / sms).min(1.0) };
    let block = parts.block(of_sm.min(f64::from(resident.active_blocks)));
    let turns = (of_sm / f64::from(resident.active_blocks)).ceil();
    let clock = f64::from(gpu.part.boost_mhz.value) * 1e6;
    let dram = traffic.dram / (gpu.part.dram_bytes_per_second.value.max(1.0) / clock);
    let (limit, running) = block.running(of_sm, turns, dram);
    let start = gpu.arch.pipeline.as_ref().map_or(0.0, |figures| f64::from(figures.launch.base.value) / 2.0);
    Ok(Ok(Estimate {
        needs,
        unit,
        blocks,
        resident_blocks: resident.active_blocks,
        occupancy: share,
        occupancy_limiter: resident.limiter,
        waves: blocks as f64 / at_once,
        cycles: start + running,
        limit,
        l2_bytes: traffic.l2,
        dram_bytes: traffic.dram,
        is_l2_known: parts.l2_bytes_per_cycle().is_some(),
    }))
}

/// Bytes that a whole launch moves.
struct Traffic {
    l2: f64,
    dram: f64,
}

impl Traffic {
    /// `at_once`: blocks that run at a time.
    fn new(product: &Product, tile: &Tile, rows: u64, columns: u64, at_once: f64, gpu: &Gpu) -> Self {
        let bytes = f64::from(product.element.bytes());
        let [m, n, k] = [product.m, product.n, product.k].map(f64::from);
        let split = f64::from(tile.split_k.max(1));
        let (rows, columns) = (rows as f64, columns as f64);
        let [block_m, block_n] = [tile.block_m, tile.block_n].map(f64::from);
        let inputs = (m * k + k * n) * bytes;
        let output = m * n * bytes * split;
        let l2 = rows * columns * (block_m + block_n) * k * bytes + output;
        // What blocks that run side by side read is read once; it is read again by the next ones where it has not stayed.
        let group = f64::from(tile.group_m.max(1)).min(rows);
        let in_group = group * columns;
        let (high, wide) = if at_once / split <= in_group {
            (group, (at_once / split / group).ceil())
        } else {
            ((group * (at_once / split / in_group).ceil()).min(rows), columns)
        };
        let waves = (rows * columns * split / at_once.max(1.0)).ceil();
        let again = waves * (high * block_m + wide * block_n) * k * bytes;
        let stays = inputs <= gpu.part.l2_bytes.value as f64;
        let read = if stays { inputs } else { again.clamp(inputs, (l2 - output).max(inputs)) };
        Self { l2, dram: read + output }
    }
}

struct Parts<'a> {
    product: &'a Product,
    tile: &'a Tile,
    unit: Unit,
    /// Operations of an SM in a cycle.
    rate: f64,
    gpu: &'a Gpu,
    /// Share of the SMs that have a block.
    busy: f64,
}

impl Parts<'_> {
    /// The cycles of a block, given the number of blocks of the SM that run at a time and share its sub-cores.
    fn block(&self, beside: f64) -> Taken<3> {
        let Self { product, tile, gpu, .. } = self;
        let (resources, memory) = (&gpu.arch.resources, &gpu.arch.memory);
        let split = tile.split_k.max(1);
        let passes = f64::from(product.k.div_ceil(tile.block_k.max(1)).div_ceil(split));
        let [block_m, block_n, block_k] = [tile.block_m, tile.block_n, tile.block_k].map(f64::from);
        let sub_cores = f64::from(resources.sub_partitions.value.max(1));
        // A sub-core without a warp does not multiply.
        let of_cores = |blocks: f64| (blocks * f64::from(tile.warps) / sub_cores).min(1.0);
        let operations = 2.0 * block_m * block_n * block_k;
        let wavefront = f64::from(resources.shared_banks.value * resources.shared_bank_width.value);
        let tile_bytes = tile.bytes(product) as f64;
        let shared = (self.fragment_bytes() + tile_bytes) / wavefront;
        let l2 = self.l2_bytes_per_cycle().map_or(0.0, |rate| tile_bytes / rate);
        let output = block_m * block_n * f64::from(product.element.bytes());
        let written = self.l2_bytes_per_cycle().map_or(0.0, |rate| output / rate);
        let parts = [
            (Limit::Products, passes * operations / (self.rate * of_cores(beside))),
            (Limit::SharedMemory, passes * shared),
            (Limit::L2Cache, passes * l2 + written),
        ];
        // Alone, each pass waits for its fragments, and for a tile where too few are on their way.
        let wait = f64::from(memory.shared.value) * 2.0;
        let multiplied = (operations / (self.rate * of_cores(1.0))).max(shared).max(l2) + wait;
        let arrival = f64::from(memory.dram.value);
        let pass = match tile.stages.saturating_sub(1) {
            0 => multiplied + arrival,
            ahead => either(&[multiplied, arrival / f64::from(ahead)]),
        };
        Taken { parts, latency: 2.0 * arrival + passes * pass + written }
    }

    /// Bytes that the units read from shared memory for one pass of a block.
    fn fragment_bytes(&self) -> f64 {
        let Self { product, tile, unit, .. } = self;
        let (m, n) = (f64::from(tile.block_m), f64::from(tile.block_n));
        let depth = f64::from(tile.block_k) * f64::from(product.element.bytes());
        let warps = f64::from(tile.warps.max(1));
        match unit {
            // Each four warps read all columns for their 64 rows.
            Unit::GroupTensor => (m + n * (m / 64.0).ceil()) * depth,
            Unit::Tensor | Unit::Lanes => {
                let (mut down, mut across) = (1.0, 1.0);
                while down * across < warps {
                    if m / down >= n / across { down *= 2.0 } else { across *= 2.0 }
                }
                warps * (m / down + n / across) * depth
            }
        }
    }

    /// Bytes that the L2 cache delivers to an SM in a cycle; `None` if neither published nor measured.
    fn l2_bytes_per_cycle(&self) -> Option<f64> {
        let arch = &self.gpu.arch;
        let measured = arch
            .pipeline
            .as_ref()
            .map(|figures| f64::from(figures.l2.requests.value) * f64::from(figures.l2.request_bytes.value));
        let published = arch.rates.l2_bytes.as_ref().map(|rate| f64::from(rate.value));
        let sms = f64::from(self.gpu.part.sm_count.value);
        let share = measured.or(published)? / (sms * self.busy);
        Some(arch.rates.l2_bytes_of_sm.as_ref().map_or(share, |most| share.min(f64::from(most.value))))
    }
}
