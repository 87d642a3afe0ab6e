//! Which bytes a launch touches, and how often: run before the simulation, without times.

use super::cache::Cache;
use super::code::Code;
use super::launch::Shares;
use super::memory::ArrayShare;
use super::requests::Requests;
use crate::Launch;
use crate::address::Lanes;
use crate::execution::{self, Warp, ctaid};
use machine::Gpu;
use rustc_hash::FxHashSet;

/// What the blocks of one SM ask of each array, and how far the arrays reach.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    arrays: Vec<Use>,
    /// Of the launch, on average.
    pub instructions_per_warp: f64,
    /// Blocks that were run; not whole where they were cut off.
    blocks: f64,
    all_blocks: f64,
}

/// The use of one array.
#[derive(Debug, Clone, Default)]
struct Use {
    /// Sectors that missed the L1 cache, and different sectors that a block read or wrote, summed over the blocks.
    missed: u64,
    read: u64,
    written: u64,
    /// The first and the last sector in all of the launch.
    extent: Option<(u64, u64)>,
}

/// Warps from all over the grid that are run for the extent of the arrays.
const SCOUTS: u64 = 48;
/// Bytes of a sector and their power of 2, sectors of a line. Source: CUDA C++ programming guide, global memory.
const SECTOR_BYTES: f64 = 32.0;
const SECTORS: u64 = 4;

/// Where a warp of a block is.
pub(super) fn place_of(launch: &Launch, block: u64, warp: u32) -> Lanes {
    Lanes { block: launch.block, warp, ctaid: ctaid(block, launch.grid) }
}

impl Footprint {
    pub(super) fn of(
        run: &execution::Code,
        gpu: &Gpu,
        launch: &Launch,
        shares: &Shares,
        l1_bytes: u32,
        effort: u64,
    ) -> Self {
        let count = launch.arrays.len();
        let mut footprint =
            Self { arrays: vec![Use::default(); count], all_blocks: shares.all_blocks as f64, ..Self::default() };
        footprint.scout(run, gpu, launch, shares, effort);
        footprint.resident(run, gpu, launch, shares, l1_bytes, effort);
        footprint
    }

    /// Runs warps from all over the grid: how far they reach, and how long they are.
    fn scout(&mut self, run: &execution::Code, gpu: &Gpu, launch: &Launch, shares: &Shares, effort: u64) {
        let warps = shares.all_blocks.saturating_mul(shares.per_block.into());
        let mut requests = Requests::default();
        let (mut steps, mut counted, mut scouts) = (0_u64, 0_u64, 0_u64);
        let count = warps.min(SCOUTS);
        for index in 0..count + 2 {
            // The first and the last of all reach the furthest; they are rarely like the rest.
            let number = match index {
                0 => 0,
                1 => warps - 1,
                _ if count == warps => index - 2,
                _ => {
                    const GOLDEN: f64 = 0.618_033_988_749_894_9;
                    let block = (((index - 2) as f64 * GOLDEN).fract() * shares.all_blocks as f64) as u64;
                    block * u64::from(shares.per_block) + (index - 2) % u64::from(shares.per_block)
                }
            };
            let (block, warp) = (number / u64::from(shares.per_block), number % u64::from(shares.per_block));
            let mut warp = Warp::new(run, launch, &place_of(launch, block, warp as u32));
            let before = steps;
            while let Some(ran) = warp.step(run) {
                steps += 1;
                if let Some(access) = requests.access(run, &gpu.arch, &warp, &ran, 0) {
                    self.reach(access.array, &access.lines);
                }
                if steps - before >= effort * 16 {
                    break;
                }
            }
            if index >= 2 {
                counted += steps - before;
                scouts += 1;
                if steps > effort && scouts >= 4 {
                    break;
                }
            }
        }
        self.instructions_per_warp = counted as f64 / scouts.max(1) as f64;
    }

    fn reach(&mut self, array: usize, lines: &[(u64, u8)]) {
        let Some(array) = self.arrays.get_mut(array) else { return };
        for &(line, sectors) in lines {
            let first = line * SECTORS + u64::from(sectors.trailing_zeros());
            let last = line * SECTORS + 7 - u64::from(sectors.leading_zeros());
            let (from, to) = array.extent.unwrap_or((first, last));
            array.extent = Some((from.min(first), to.max(last)));
        }
    }

    /// Runs the first blocks of the SM together, warp by warp in turns.
    fn resident(
        &mut self,
        run: &execution::Code,
        gpu: &Gpu,
        launch: &Launch,
        shares: &Shares,
        l1_bytes: u32,
        effort: u64,
    ) {
        let figures = gpu.arch.pipeline.as_ref();
        let mut l1 = figures.map_or_else(
            || Cache::new(0, 1, 1),
            |figures| Cache::new(l1_bytes, figures.l1.line_bytes.value, figures.l1.ways.value),
        );
        let blocks: Vec<u64> = (0..u64::from(shares.resident)).map_while(|n| shares.block(n)).collect();
        let mut warps: Vec<(usize, Warp)> = Vec::new();
        for (at, &block) in blocks.iter().enumerate() {
            for warp in 0..shares.per_block {
                warps.push((at, Warp::new(run, launch, &place_of(launch, block, warp))));
            }
        }
        let mut touched: Vec<FxHashSet<(usize, u64, bool)>> = vec![FxHashSet::default(); blocks.len()];
        let mut requests = Requests::default();
        let mut steps = 0_u64;
        let mut is_open = true;
        while is_open && steps < effort {
            is_open = false;
            for (place, (block, warp)) in (0_u64..).zip(&mut warps) {
                // Up to its next access.
                while let Some(ran) = warp.step(run) {
                    is_open = true;
                    steps += 1;
                    let Some(access) = requests.access(run, &gpu.arch, warp, &ran, place) else { continue };
                    for &(line, sectors) in &access.lines {
                        let missing = if access.is_store || access.is_atomic {
                            l1.fill(line, sectors, 0);
                            0
                        } else {
                            let (missing, _) = l1.look_up(line, sectors, 0);
                            l1.fill(line, missing, 0);
                            missing
                        };
                        let Some(array) = self.arrays.get_mut(access.array) else { continue };
                        array.missed += u64::from(missing.count_ones());
                        for sector in (0..SECTORS).filter(|sector| sectors >> sector & 1 == 1) {
                            if touched[*block].insert((access.array, line * SECTORS + sector, access.is_store)) {
                                *(if access.is_store { &mut array.written } else { &mut array.read }) += 1;
                            }
                        }
                    }
                    break;
                }
            }
        }
        let warps = (blocks.len() as f64 * f64::from(shares.per_block)).max(1.0);
        let done = steps as f64 / warps / self.instructions_per_warp.max(1.0);
        self.blocks = blocks.len() as f64 * done.min(1.0);
    }

    /// How much of each array comes from DRAM, and goes there.
    pub(super) fn shares(&self, code: &Code, launch: &Launch) -> Vec<ArrayShare> {
        let scale = self.all_blocks / self.blocks.max(f64::MIN_POSITIVE);
        let extent = |array: &Use| array.extent.map_or(0.0, |(from, to)| (to - from + 1) as f64);
        let written: f64 =
            self.arrays.iter().map(|array| (array.written as f64 * scale).min(extent(array)) * SECTOR_BYTES).sum();
        let dirty = f64::from(code.figures.l2.dirty_kilobytes.value) * 1024.0;
        let to_dram = if written > dirty { 1.0 - dirty / written } else { 0.0 };
        let share = |array: &Use| {
            let distinct = (array.read as f64 * scale).min(extent(array));
            let missed = array.missed as f64 * scale;
            let rewritten = (array.written as f64 * scale / extent(array).max(1.0)).max(1.0);
            let from_dram = launch.hit_rate.l2.map_or_else(
                || if missed > 0.0 { (distinct / missed).min(1.0) } else { 1.0 },
                |hits| 1.0 - hits,
            );
            ArrayShare { from_dram, to_dram: to_dram / rewritten }
        };
        self.arrays.iter().map(share).collect()
    }
}
