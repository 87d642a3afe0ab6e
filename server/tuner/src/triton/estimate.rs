//! The time of a configuration.
//!
//! [`Kernel::work`] describes the work of Triton's kernels. The model is the same as for the tuner's own
//! kernels, with published figures.

use super::needs::{CannotRun, Needs};
use super::product::{GROUP_ROWS, NoRate, unit};
use super::{Product, Tile, Unit};
use crate::Limit;
use crate::estimate::{Figures, Fragments, OutputTraffic, Products, Stages, Work};
use machine::Gpu;
use model::OccupancyLimiter;
use model::paper::occupancy::occupancy;

/// The static model's figures for a configuration and a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub needs: Needs,
    pub unit: Unit,
    /// Number of blocks of the launch.
    pub blocks: u64,
    /// Resident blocks per SM.
    pub resident_blocks: u32,
    /// Resident warps as a fraction of an SM's maximum, 0 to 1.
    pub occupancy: f64,
    /// Resource that limits the resident blocks of an SM.
    pub occupancy_limiter: OccupancyLimiter,
    /// Blocks of the launch divided by the number that the GPU holds at once.
    pub waves: f64,
    pub cycles: f64,
    pub limit: Limit,
    /// Bytes that the launch transfers between the L2 cache and the SMs.
    pub l2_bytes: f64,
    /// Bytes that the launch transfers between DRAM and the L2 cache, which is cold at the start.
    pub dram_bytes: f64,
    /// True if the rate of the L2 cache is known. Only then do the cycles include the time of the L2 cache.
    pub is_l2_known: bool,
}

/// Estimates the time of a configuration. Returns `Ok(Err)` if the GPU cannot run the configuration, and
/// `Err` if the GPU's rate is unknown.
pub fn estimate(product: &Product, tile: &Tile, gpu: &Gpu) -> Result<Result<Estimate, CannotRun>, NoRate> {
    let (unit, rate) = unit(product, tile, gpu)?;
    let needs = Needs::new(product, tile, unit, gpu);
    let block_needs = match needs.check(gpu) {
        Ok(block_needs) => block_needs,
        Err(why) => return Ok(Err(why)),
    };
    let resident = occupancy(&gpu.arch.resources, block_needs);
    if resident.active_blocks == 0 {
        let most = gpu.arch.resources.shared_per_sm.value;
        return Ok(Err(CannotRun::Shared { needed: needs.shared, most }));
    }
    let figures = Figures::published(gpu);
    let resident_blocks = f64::from(resident.active_blocks);
    let kernel = Kernel { product, tile, unit, rate, figures: &figures, resident_blocks };
    let traffic = kernel.traffic();
    let time = kernel.work(gpu, &traffic).time(&figures);
    let blocks = kernel.blocks();
    Ok(Ok(Estimate {
        needs,
        unit,
        blocks,
        resident_blocks: resident.active_blocks,
        occupancy: f64::from(resident.active_warps) / f64::from(resident.max_warps.max(1)),
        occupancy_limiter: resident.limiter,
        waves: blocks as f64 / (resident_blocks * figures.sms),
        cycles: time.cycles,
        limit: time.limit,
        l2_bytes: traffic.l2,
        dram_bytes: traffic.dram,
        is_l2_known: figures.l2_bytes.is_some(),
    }))
}

/// Bytes that a launch transfers.
struct Traffic {
    l2: f64,
    dram: f64,
}

/// A configuration for a shape on a GPU.
struct Kernel<'a> {
    product: &'a Product,
    tile: &'a Tile,
    unit: Unit,
    /// Operations per SM and cycle.
    rate: f64,
    figures: &'a Figures,
    /// Resident blocks per SM.
    resident_blocks: f64,
}

impl Kernel<'_> {
    /// Number of rows and number of columns of the grid of tiles.
    fn tiles(&self) -> [u64; 2] {
        let Self { product, tile, .. } = self;
        [product.m.div_ceil(tile.block_m.max(1)), product.n.div_ceil(tile.block_n.max(1))].map(u64::from)
    }

    fn blocks(&self) -> u64 {
        let [rows, columns] = self.tiles();
        rows * columns * u64::from(self.tile.split_k.max(1))
    }

    fn traffic(&self) -> Traffic {
        let Self { product, tile, figures, .. } = self;
        let bytes = f64::from(product.element.bytes());
        let [m, n, k] = [product.m, product.n, product.k].map(f64::from);
        let split = f64::from(tile.split_k.max(1));
        let [rows, columns] = self.tiles().map(|tiles| tiles as f64);
        let [block_m, block_n] = [tile.block_m, tile.block_n].map(f64::from);
        let at_once = (self.resident_blocks * figures.sms).min(self.blocks() as f64);
        let inputs = (m * k + k * n) * bytes;
        let output = m * n * bytes * split;
        let l2 = rows * columns * (block_m + block_n) * k * bytes + output;
        // Blocks that run concurrently read their common inputs from DRAM once. Later blocks read these
        // inputs again unless the L2 cache holds them.
        let group = f64::from(tile.group_m.max(1)).min(rows);
        let in_group = group * columns;
        let (high, wide) = if at_once / split <= in_group {
            (group, (at_once / split / group).ceil())
        } else {
            ((group * (at_once / split / in_group).ceil()).min(rows), columns)
        };
        let waves = (rows * columns * split / at_once.max(1.0)).ceil();
        let again = waves * (high * block_m + wide * block_n) * k * bytes;
        let stays = inputs <= figures.l2_size;
        let read = if stays { inputs } else { again.clamp(inputs, (l2 - output).max(inputs)) };
        Traffic { l2, dram: read + output }
    }

    fn work(&self, gpu: &Gpu, traffic: &Traffic) -> Work {
        let Self { product, tile, figures, .. } = self;
        let blocks = self.blocks() as f64;
        let [block_m, block_n, block_k] = [tile.block_m, tile.block_n, tile.block_k].map(f64::from);
        let warps = f64::from(tile.warps);
        let of_sm = (blocks / figures.sms).ceil().min(self.resident_blocks);
        // A sub-core without a warp does not multiply.
        let rate = |blocks: f64| self.rate * figures.busy_sub_cores(blocks * warps);
        let resources = &gpu.arch.resources;
        let wavefront = f64::from(resources.shared_banks.value * resources.shared_bank_width.value);
        let tile_bytes = tile.bytes(product) as f64;
        Work {
            blocks,
            launches: 1.0,
            resident_blocks: self.resident_blocks,
            warps,
            passes: f64::from(product.k.div_ceil(tile.block_k.max(1)).div_ceil(tile.split_k.max(1))),
            products: Products {
                operations: 2.0 * block_m * block_n * block_k,
                rate: rate(of_sm),
                rate_alone: rate(1.0),
            },
            issue: 0.0,
            wavefronts: (self.fragment_bytes() + tile_bytes) / wavefront,
            lines: 0.0,
            l2_bytes: tile_bytes,
            dram_bytes: traffic.dram,
            missed: 1.0,
            fragments: Fragments::Streamed,
            stages: Stages {
                ahead: f64::from(tile.stages.saturating_sub(1)),
                inner_barriers: 0.0,
                outer_barriers: 0.0,
                refills: false,
            },
            rounds: 0.0,
            sums: 0.0,
            stored: OutputTraffic::Bytes(block_m * block_n * f64::from(product.element.bytes())),
            round_trips: 0.0,
        }
    }

    /// Bytes that the units read from shared memory per pass of a block.
    fn fragment_bytes(&self) -> f64 {
        let Self { product, tile, unit, .. } = self;
        let (m, n) = (f64::from(tile.block_m), f64::from(tile.block_n));
        let depth = f64::from(tile.block_k) * f64::from(product.element.bytes());
        let warps = f64::from(tile.warps.max(1));
        match unit {
            // Every group of four warps reads all columns for its rows.
            Unit::GroupTensor => (m + n * (m / f64::from(GROUP_ROWS)).ceil()) * depth,
            Unit::Tensor | Unit::Lanes => {
                let (mut down, mut across) = (1.0, 1.0);
                while down * across < warps {
                    if m / down >= n / across { down *= 2.0 } else { across *= 2.0 }
                }
                warps * (m / down + n / across) * depth
            }
        }
    }
}
