//! Minimum traffic of a launch between DRAM and the L2 cache.

use super::code::Code;
use super::issued::AccessState;
use super::lanes::WARP;
use super::sample::{place_of, sampled};
use super::warp::Warp;
use crate::Launch;
use machine::{Arch, MemorySpace};
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of sampled warps, spread over the grid.
const WARPS: u64 = 48; // limit: time

/// Maximum number of instructions of one warp and, approximately, of all warps together.
const MAX_PER_WARP: u64 = 100_000; // limit: time
const MAX: u64 = 400_000; // limit: time

/// Minimum number of bytes that a launch moves from and to DRAM.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MinTraffic {
    pub read: f64,
    pub written: f64,
}

/// Sectors of one array, either read or written.
#[derive(Debug, Default)]
struct Sectors {
    /// Distinct sectors per warp, summed over the warps.
    of_warps: u64,
    /// Distinct sectors of all warps that were run.
    all: FxHashSet<u64>,
    extent: Option<(u64, u64)>,
}

impl Sectors {
    /// Estimates the distinct sectors of the launch. Scales the sectors of the sampled warps, up to the
    /// array's extent.
    fn estimate(&self, scale: f64, warps: u64) -> f64 {
        let (of_warps, all) = (self.of_warps as f64, self.all.len() as f64);
        // A sector is used by at least half of the warps.
        if all * warps as f64 <= 2.0 * of_warps {
            return all;
        }
        let extent = self.extent.map_or(0.0, |(from, to)| (to - from + 1) as f64);
        (of_warps * scale).min(extent).max(all)
    }
}

impl MinTraffic {
    /// Estimates the traffic from a sample of a launch's warps: each byte read comes from DRAM once, and each byte
    /// written goes to DRAM once.
    ///
    /// Accesses at unknown addresses are omitted, so the launch may move more bytes. If an L2 hit rate is
    /// stated, only misses count as read.
    pub fn estimate(code: &Code, gpu: &Arch, launch: &Launch) -> Self {
        let per_block = u64::from(launch.threads_per_block().div_ceil(gpu.resources.warp_size.max(1)));
        let all_warps = launch.blocks().saturating_mul(per_block);
        let sector_bytes = u64::from(gpu.requests.sector_bytes.value.max(1));
        let count = all_warps.min(WARPS);
        let mut arrays: FxHashMap<(u64, bool), Sectors> = FxHashMap::default();
        let (mut warps, mut steps) = (0, 0);
        // The first and the last warp reach the ends of the arrays.
        let ends = [(0, 0), (launch.blocks().saturating_sub(1), per_block.saturating_sub(1))];
        let sample = (0..count).map(|index| sampled(index, count, launch.blocks(), per_block));
        for (is_end, (block, number)) in
            ends.into_iter().map(|place| (true, place)).chain(sample.map(|place| (false, place)))
        {
            if all_warps == 0 || steps >= MAX && warps > 0 {
                break;
            }
            let mut warp = Warp::new(code, launch, &place_of(launch, block, number as u32));
            let mut own: FxHashSet<(u64, bool, u64)> = FxHashSet::default();
            steps += run(code, &mut warp, |sectors, is_store| {
                let numbers = sectors.start / sector_bytes..(sectors.end - 1) / sector_bytes + 1;
                own.extend(numbers.map(|sector| (sectors.start / Launch::ARRAY_SPACING, is_store, sector)));
            });
            for (array, is_store, sector) in own {
                let sectors = arrays.entry((array, is_store)).or_default();
                let (from, to) = sectors.extent.unwrap_or((sector, sector));
                sectors.extent = Some((from.min(sector), to.max(sector)));
                if !is_end {
                    sectors.of_warps += 1;
                    sectors.all.insert(sector);
                }
            }
            warps += u64::from(!is_end);
        }
        let scale = all_warps as f64 / warps.max(1) as f64;
        let bytes = |stores: bool| {
            let own = arrays.iter().filter(|((_, is_store), _)| *is_store == stores);
            own.map(|(_, sectors)| sectors.estimate(scale, warps) * sector_bytes as f64).sum::<f64>()
        };
        let missed = 1.0 - launch.hit_rate.l2.unwrap_or(0.0).clamp(0.0, 1.0);
        Self { read: bytes(false) * missed, written: bytes(true) }
    }

    /// Bytes moved in both directions.
    pub fn bytes(&self) -> f64 {
        self.read + self.written
    }
}

/// Runs a warp until it ends or reaches [`MAX_PER_WARP`], and returns the number of executed instructions.
/// Calls `note` for each byte range of global memory that a lane accesses, with `true` for a write.
fn run(code: &Code, warp: &mut Warp, mut note: impl FnMut(std::ops::Range<u64>, bool)) -> u64 {
    let mut steps = 0;
    while steps < MAX_PER_WARP {
        if let Some(idle) = warp.run_idle(code, MAX_PER_WARP - steps) {
            steps += u64::from(idle.count);
            continue;
        }
        let Some(ran) = warp.step(code) else { break };
        steps += 1;
        let usage = code.access(ran.inst).filter(|_| ran.access == AccessState::Known);
        let Some(usage) =
            usage.filter(|usage| matches!(usage.space, MemorySpace::Global | MemorySpace::Generic))
        else {
            continue;
        };
        let request = warp.request();
        for lane in (0..WARP).filter(|lane| request.active >> lane & 1 == 1) {
            let from = request.addresses[lane];
            let touched = from..from.saturating_add(u64::from(usage.bytes.max(1)));
            // Addresses below the first array come from unknown pointers.
            if from < Launch::ARRAY_SPACING {
                continue;
            }
            let changes = usage.changes.is_some();
            if usage.is_store || changes {
                note(touched.clone(), true);
            }
            if !usage.is_store || changes {
                note(touched, false);
            }
        }
    }
    steps
}
