//! Footprint of a launch: the bytes that it accesses, and the number of accesses. Warps are executed without
//! timing before the simulation.

use super::cache::Cache;
use super::code::Code;
use super::lines::Lines;
use super::memory::ArrayShare;
use super::requests::{Requests, Timing};
use super::shares::Shares;
use super::tiles::TileBytes;
use crate::Launch;
use crate::execution::{self, Asynchronous, SharedWords, Warp, place_of, sampled};
use machine::Arch;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Requests of one SM's blocks to each array, and the extents of the arrays.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    arrays: Vec<ArrayTraffic>,
    /// Mean number of instructions per warp of the launch.
    pub instructions_per_warp: f64,
    /// Factor by which the launch takes longer than with blocks of equal length, 1 or more.
    pub imbalance: f64,
    /// Number of executed blocks; fractional if some blocks were cut off.
    blocks: f64,
    all_blocks: f64,
    sector_bytes: f64,
    /// True if the kernel copies tensor tiles for which the launch states no tensor map.
    has_assumed_tiles: bool,
    /// True if the longest sampled warp executes more than twice as many instructions as the shortest, or if the mean was
    /// measured.
    pub varies: bool,
    /// L2 hit rate of each array that lanes access at random positions and that is larger than L2; `None` for other
    /// arrays.
    scattered: Vec<Option<f64>>,
    /// Number of sectors in each array that lanes access at random positions and that fits in L2; `None` for other
    /// arrays.
    by_chance: Vec<Option<f64>>,
}

/// Returns the L2 hit rate of each array that lanes access at random positions; `None` for other arrays, and for arrays
/// that fit in L2.
///
/// A requested sector occupies a line of L2. The line is evicted once the number of other lines requested since then
/// reaches the capacity of L2. On an H100 (2026-11-26), gathers of 4 bytes out of 64 MiB find 17 % of their sectors in
/// L2.
fn scattered(look: &FootprintInputs) -> Vec<Option<f64>> {
    let arch = look.arch;
    let Some(figures) = arch.pipeline.as_ref() else { return Vec::new() };
    let line_bytes = look.lines.line_bytes() as f64;
    let places = f64::from(figures.l2.kilobytes.value) * 1024.0 / line_bytes;
    let of = |array| {
        let lines = look.run.lines_anywhere(array)? as f64;
        // Draws until `places` different lines were requested; each draw requests one sector.
        let draws = -lines * (1.0 - places / lines).ln();
        let sectors = lines * f64::from(look.lines.per_line());
        (lines > places).then(|| 1.0 - (-draws / sectors).exp())
    };
    (0..look.launch.arrays.len()).map(of).collect()
}

/// Sectors of one array that the executed blocks access.
#[derive(Debug, Clone, Default)]
struct ArrayTraffic {
    /// Number of sectors that missed the L1 cache. `read` and `written` are the numbers of distinct sectors of each
    /// block, summed over the blocks.
    missed: u64,
    read: u64,
    written: u64,
    /// Number of sectors of all stores; several stores may write the same sector.
    stored: u64,
    /// First and last sector that the launch accesses.
    extent: Option<(u64, u64)>,
    /// Share of the sectors that the neighbouring block along x in the grid uses as well. `across` is the same along y.
    along: f64,
    across: f64,
}

impl ArrayTraffic {
    /// Returns the number of sectors from the first to the last sector.
    fn extent(&self) -> f64 {
        self.extent.map_or(0.0, |(from, to)| (to - from + 1) as f64)
    }
}

/// Number of warps, spread over the grid, that are run to find the extents of the arrays.
const SCOUTS: u64 = 48; // limit: time

/// The launch to analyse, with its code and the architecture that runs it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FootprintInputs<'a> {
    pub run: &'a execution::Code,
    pub arch: &'a Arch,
    pub launch: &'a Launch,
    pub shares: &'a Shares,
    pub lines: Lines,
    /// Tile sizes in bytes, for tensors whose maps are not stated.
    pub tiles: &'a TileBytes,
}

impl FootprintInputs<'_> {
    pub(super) fn warp(&self, block: u64, number: u32) -> Warp {
        Warp::new(self.run, self.launch, &place_of(self.launch, block, number))
    }
}

/// Number of blocks, spread over the grid, whose lengths are measured.
const SAMPLES: u64 = 512; // limit: time

/// Maximum number of blocks that are assigned one by one. With thousands of blocks per SM, a single block
/// changes nothing.
const MAX_BLOCKS: u64 = 1 << 18; // limit: one more or less changes nothing

/// Returns the mean number of instructions per warp in each of several blocks spread over the grid, in grid order. `None`
/// if the warps execute too many instructions.
///
/// One warp represents its block. If the code has barrier objects, all warps of a block are run, because they may have
/// different roles.
fn lengths(look: &FootprintInputs, effort: u64) -> Option<Vec<f64>> {
    let shares = look.shares;
    let has_roles = look.run.has_objects();
    let of_block = if has_roles { shares.per_block } else { 1 };
    let count = shares.all_blocks.min((SAMPLES / u64::from(of_block)).max(1));
    let mut lengths = Vec::new();
    let mut steps = 0_u64;
    for index in 0..count {
        // The largest grid that a GPU accepts has 2^63 blocks.
        let block = (u128::from(index) * u128::from(shares.all_blocks) / u128::from(count)) as u64;
        let before = steps;
        for warp in 0..of_block {
            let number = if has_roles { warp } else { (index % u64::from(shares.per_block)) as u32 };
            steps += length(look, block, number, effort);
        }
        lengths.push((steps - before).max(1) as f64 / f64::from(of_block));
        if steps > 8 * effort * u64::from(of_block) {
            return None;
        }
    }
    Some(lengths)
}

/// Returns the number of instructions that a warp executes, at most `effort`.
fn length(look: &FootprintInputs, block: u64, number: u32, effort: u64) -> u64 {
    let mut warp = look.warp(block, number);
    let mut steps = 0;
    loop {
        if let Some(idle) = warp.run_idle(look.run, effort - steps) {
            steps += u64::from(idle.count);
        }
        // Once the effort is spent, one more instruction is run, but not counted.
        if warp.step(look.run).is_none() || steps >= effort {
            return steps;
        }
        steps += 1;
    }
}

/// Returns the factor by which differences between blocks lengthen a launch. The blocks of one SM share its throughput,
/// and the first free slot receives the next block.
///
/// The computation takes one step per block. If the launch has more than [`MAX_BLOCKS`] blocks, it uses `MAX_BLOCKS`
/// blocks with the same sequence of lengths.
fn imbalance(shares: &Shares, lengths: &[f64], mean: f64) -> f64 {
    let shares = &Shares { all_blocks: shares.all_blocks.min(MAX_BLOCKS), ..*shares };
    let count = lengths.len() as u128;
    let of = |block: u64| lengths[(u128::from(block) * count / u128::from(shares.all_blocks)) as usize];
    (makespan(shares, of) / makespan(shares, |_| mean)).max(1.0)
}

/// Returns the time until all blocks are done. `length` returns the time of a block that has an SM to itself.
fn makespan(shares: &Shares, length: impl Fn(u64) -> f64) -> f64 {
    let sms = (u64::from(shares.sms)).min(shares.all_blocks) as usize;
    let resident = shares.resident as usize;
    let mut next = 0_u64;
    // Remaining work of each SM's blocks, and the time up to which it is accounted for.
    let mut left: Vec<Vec<f64>> = vec![Vec::new(); sms];
    let mut now = vec![0.0_f64; sms];
    for place in 0..resident * sms {
        if next < shares.all_blocks {
            left[place % sms].push(length(next));
            next += 1;
        }
    }
    let ends = |sm: usize, left: &[Vec<f64>], now: &[f64]| {
        let least = left[sm].iter().copied().fold(f64::INFINITY, f64::min);
        now[sm] + least * left[sm].len() as f64
    };
    // Times are not negative, so their bit patterns sort in the same order.
    let mut queue: BinaryHeap<Reverse<(u64, usize)>> = (0..sms)
        .filter(|&sm| !left[sm].is_empty())
        .map(|sm| Reverse((ends(sm, &left, &now).to_bits(), sm)))
        .collect();
    let mut last = 0.0_f64;
    while let Some(Reverse((end, sm))) = queue.pop() {
        let end = f64::from_bits(end);
        last = last.max(end);
        let least = left[sm].iter().copied().fold(f64::INFINITY, f64::min);
        now[sm] = end;
        for work in &mut left[sm] {
            *work -= least;
        }
        if let Some(done) = left[sm].iter().position(|work| *work <= 0.0) {
            left[sm].swap_remove(done);
        }
        if next < shares.all_blocks {
            left[sm].push(length(next));
            next += 1;
        }
        if !left[sm].is_empty() {
            queue.push(Reverse((ends(sm, &left, &now).to_bits(), sm)));
        }
    }
    last
}

/// Returns the number of sectors in each array that lanes access at random positions and that fits in L2; `None` for
/// other arrays.
fn by_chance(look: &FootprintInputs, scattered: &[Option<f64>]) -> Vec<Option<f64>> {
    let of = |(array, scattered): (usize, &Option<f64>)| {
        let lines = look.run.lines_anywhere(array).filter(|_| scattered.is_none())?;
        Some(lines as f64 * f64::from(look.lines.per_line()))
    };
    scattered.iter().enumerate().map(of).collect()
}

/// Returns the size, in sectors, of the memory to which `asked` random requests must go so that the share `new` of them
/// are the first request to their sector.
fn sectors_of(asked: f64, new: f64) -> f64 {
    let share = |sectors: f64| sectors / asked * (1.0 - (-asked / sectors).exp());
    let (mut least, mut most) = (1.0, asked.max(1.0) * 1e6);
    for _ in 0..60 {
        let middle = f64::sqrt(least * most);
        if share(middle) < new { least = middle } else { most = middle }
    }
    least
}

impl Footprint {
    /// Measures the footprint with `l1`, an empty cache of the SM. Each pass runs about `effort` warp instructions.
    pub(super) fn measure(look: &FootprintInputs, l1: Cache, effort: u64) -> Self {
        let mut footprint = Self {
            // The last entry is for unknown addresses.
            arrays: vec![ArrayTraffic::default(); look.launch.arrays.len() + 1],
            all_blocks: look.shares.all_blocks as f64,
            sector_bytes: look.lines.sector_bytes(),
            has_assumed_tiles: !look.tiles.is_empty(),
            ..Self::default()
        };
        footprint.scout(look, effort);
        footprint.imbalance = 1.0;
        if footprint.varies
            && let Some(lengths) = lengths(look, effort)
        {
            let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
            footprint.instructions_per_warp = mean;
            footprint.imbalance = imbalance(look.shares, &lengths, mean);
        }
        let warps = look.shares.all_blocks as f64 * f64::from(look.shares.per_block);
        let measured = look.launch.measured.as_ref();
        if let Some(counted) = measured.and_then(|measured| measured.executed_per_warp(warps)) {
            footprint.instructions_per_warp = counted;
            footprint.varies = true;
        }
        footprint.scattered = scattered(look);
        footprint.by_chance = by_chance(look, &footprint.scattered);
        footprint.resident(look, l1, effort);
        footprint.neighbours(look);
        footprint
    }

    /// Runs warps spread over the grid to find the extents of arrays and the lengths of warps.
    fn scout(&mut self, look: &FootprintInputs, effort: u64) {
        let FootprintInputs { run, arch, shares, lines, .. } = *look;
        let per_block = u64::from(shares.per_block);
        let warps = shares.all_blocks.saturating_mul(per_block);
        let mut requests = Requests::new(look);
        let (mut steps, mut counted, mut scouts) = (0_u64, 0_u64, 0_u64);
        let (mut least, mut longest) = (u64::MAX, 0);
        let count = warps.min(SCOUTS);
        for index in 0..count + 2 {
            // The first and the last warp reach the ends of the arrays, but are rarely typical.
            let (block, number) = match index {
                0 => (0, 0),
                1 => (shares.all_blocks - 1, per_block - 1),
                _ => sampled(index - 2, count, shares.all_blocks, per_block),
            };
            let mut warp = look.warp(block, number as u32);
            let before = steps;
            let most = (effort * 16).max(1);
            while steps - before < most {
                if let Some(idle) = warp.run_idle(run, most - (steps - before)) {
                    steps += u64::from(idle.count);
                    continue;
                }
                let Some(ran) = warp.step(run) else { break };
                steps += 1;
                if let Some(access) = requests.access(run, arch, &warp, &ran, 0, Timing::LeftOut) {
                    self.reach(lines, access.array, &access.lines);
                }
            }
            if index >= 2 {
                (least, longest) = (least.min(steps - before), longest.max(steps - before));
                counted += steps - before;
                scouts += 1;
                if steps > effort && scouts >= 4 || steps > 4 * effort {
                    break;
                }
            }
        }
        self.instructions_per_warp = counted as f64 / scouts.max(1) as f64;
        self.varies = longest > 2 * least;
    }

    fn reach(&mut self, lines: Lines, array: usize, asked: &[(u64, u8)]) {
        let Some(array) = self.arrays.get_mut(array) else { return };
        for &line in asked {
            let mut sectors = lines.sectors(line);
            let Some(first) = sectors.next() else { continue };
            let last = sectors.next_back().unwrap_or(first);
            let (from, to) = array.extent.unwrap_or((first, last));
            array.extent = Some((from.min(first), to.max(last)));
        }
    }

    /// Runs the first blocks of the SM together. The warps of these blocks take turns.
    fn resident(&mut self, look: &FootprintInputs, mut l1: Cache, effort: u64) {
        let FootprintInputs { run, arch, shares, .. } = *look;
        let blocks: Vec<u64> = (0..u64::from(shares.resident)).map_while(|n| shares.block(n)).collect();
        let mut warps: Vec<(usize, Warp)> = Vec::new();
        for (at, &block) in blocks.iter().enumerate() {
            let words = SharedWords::default();
            for warp in 0..shares.per_block {
                warps.push((at, look.warp(block, warp).sharing(&words)));
            }
        }
        let mut touched: Vec<Touched<(usize, u64, bool)>> = vec![Touched::default(); blocks.len()];
        let mut requests = Requests::new(look);
        let mut steps = 0_u64;
        let mut is_open = true;
        while is_open && steps < effort {
            is_open = false;
            for (place, (block, warp)) in (0_u64..).zip(&mut warps) {
                // The warp runs up to its next access.
                loop {
                    if let Some(idle) = warp.run_idle(run, effort.saturating_sub(steps)) {
                        is_open = true;
                        steps += u64::from(idle.count);
                        if steps < effort {
                            continue;
                        }
                        break;
                    }
                    let Some(ran) = warp.step(run) else { break };
                    is_open = true;
                    steps += 1;
                    if matches!(warp.asynchronous(), Some(Asynchronous::Invalidate)) {
                        l1.clear();
                    }
                    let Some(access) = requests.access(run, arch, warp, &ran, place, Timing::LeftOut) else {
                        // A loop without accesses may have no end.
                        if steps < effort {
                            continue;
                        }
                        break;
                    };
                    for &(line, sectors) in &access.lines {
                        let missing = if access.bypasses && !access.is_store {
                            sectors
                        } else if access.is_store || access.is_atomic {
                            l1.fill(line, sectors, 0);
                            0
                        } else {
                            let (missing, _) = l1.look_up(line, sectors, 0);
                            l1.fill(line, missing, 0);
                            missing
                        };
                        let Some(array) = self.arrays.get_mut(access.array) else { continue };
                        array.missed += u64::from(missing.count_ones());
                        if access.is_store {
                            array.stored += u64::from(sectors.count_ones());
                        }
                        let known = touched[*block].entry((access.array, line, access.is_store)).or_default();
                        let new = u64::from((sectors & !*known).count_ones());
                        *known |= sectors;
                        *(if access.is_store { &mut array.written } else { &mut array.read }) += new;
                    }
                    break;
                }
            }
        }
        let warps = (blocks.len() as f64 * f64::from(shares.per_block)).max(1.0);
        let done = steps as f64 / warps / self.instructions_per_warp.max(1.0);
        self.blocks = blocks.len() as f64 * done.min(1.0);
    }

    /// Computes which share of the sectors that a block reads first its neighbours along x and y read as well. Skips
    /// arrays for which the result does not matter.
    fn neighbours(&mut self, look: &FootprintInputs) {
        let [along, across, _] = look.launch.grid.map(u64::from);
        let block = (across / 2 * along + along / 2).min(look.shares.all_blocks - 1);
        let adjacent = (along > 1).then(|| if block % along + 1 < along { block + 1 } else { block - 1 });
        let below = (across > 1 && block >= along).then(|| block - along);
        let matters = |array: &ArrayTraffic| {
            let origin = self.origin(array, look.launch, look.shares);
            let shared = |along: bool, across: bool| origin.on_the_way(along, across) > 0.0;
            let is_reused = array.missed as f64 * self.scale() > 1.5 * array.extent();
            adjacent.is_some() && (is_reused || shared(true, false)) || below.is_some() && shared(false, true)
        };
        let mut wanted: Vec<bool> = self.arrays.iter().map(matters).collect();
        if let Some(last) = wanted.last_mut() {
            *last |= adjacent.is_some() && !look.tiles.is_empty();
        }
        if !wanted.contains(&true) {
            return;
        }
        let first = |block: u64| first_sectors(look, block, &wanted);
        let own = first(block);
        let (adjacent, below) = (adjacent.map(first), below.map(first));
        for (array, known) in self.arrays.iter_mut().enumerate().filter(|(array, _)| wanted[*array]) {
            let own = own.iter().filter(|((of, _), _)| *of == array);
            let all: u32 = own.clone().map(|(_, sectors)| sectors.count_ones()).sum();
            let part_of = |other: &Option<Touched<(usize, u64)>>| {
                other.as_ref().map_or(0.0, |other| {
                    let both = |(line, sectors): (&(usize, u64), &u8)| {
                        other.get(line).map_or(0, |others| (sectors & others).count_ones())
                    };
                    f64::from(own.clone().map(both).sum::<u32>()) / f64::from(all.max(1))
                })
            };
            known.along = part_of(&adjacent);
            known.across = part_of(&below);
        }
    }

    /// Returns the share of an array's sectors that DRAM delivers, and the shares of blocks that use a sector
    /// concurrently.
    fn origin(&self, array: &ArrayTraffic, launch: &Launch, shares: &Shares) -> Origin {
        let scale = self.scale();
        let distinct = (array.read as f64 * scale).min(array.extent());
        let missed = array.missed as f64 * scale;
        let from_dram = launch
            .hit_rate
            .l2
            .map_or_else(|| if missed > 0.0 { (distinct / missed).min(1.0) } else { 1.0 }, |hits| 1.0 - hits);
        let resident = f64::from(shares.resident) * f64::from(shares.sms);
        let users = (missed / distinct.max(1.0)).max(1.0);
        Origin {
            from_dram,
            is_stated: launch.hit_rate.l2.is_some(),
            along: (resident / users).min(1.0),
            across: (resident / self.all_blocks).min(1.0),
        }
    }

    /// Returns the mean number of SMs whose requests for the same sector of `array` L2 serves together. `is_unknown` is
    /// true for the array that represents unknown addresses.
    fn merged(array: &ArrayTraffic, is_unknown: bool, code: &Code) -> f64 {
        let sms = f64::from(code.figures.l2.merging_sms.value.max(1));
        let part = if is_shared(array.along) || is_unknown { array.along } else { 0.0 };
        1.0 / (1.0 - part * (1.0 - 1.0 / sms))
    }

    /// Returns the ratio of the launch's blocks to the executed blocks.
    fn scale(&self) -> f64 {
        self.all_blocks / self.blocks.max(f64::MIN_POSITIVE)
    }

    /// Returns the distinct bytes of all arrays that the launch uses, scaled from the `sectors` that the
    /// executed blocks used.
    fn bytes(&self, sectors: impl Fn(&ArrayTraffic) -> u64) -> f64 {
        let scale = self.scale();
        let bytes = |array| (sectors(array) as f64 * scale).min(array.extent()) * self.sector_bytes;
        self.arrays.iter().map(bytes).sum()
    }

    /// Returns the factor, at least 1, by which DRAM moves more bytes than the launch requests: a launch that fills the
    /// L2 cache makes it write back data of earlier launches.
    pub(super) fn stale(&self, code: &Code) -> f64 {
        let bytes = self.bytes(|array| array.read.max(array.written));
        let kilobytes = |figure: &machine::Known<u32>| f64::from(figure.value) * 1024.0;
        let figures = &code.figures;
        if bytes < kilobytes(&figures.l2.kilobytes) {
            1.0
        } else {
            1.0 + kilobytes(&figures.dram.stale_kilobytes) / bytes
        }
    }

    /// Returns, for each array, the shares of its sectors that come from DRAM and that are written to DRAM.
    pub(super) fn shares(&self, code: &Code, launch: &Launch, shares: &Shares) -> Vec<ArrayShare> {
        let scale = self.scale();
        let written = self.bytes(|array| array.written);
        let dirty = f64::from(code.figures.l2.dirty_kilobytes.value) * 1024.0;
        let to_dram = if written > dirty { 1.0 - dirty / written } else { 0.0 };
        let share = |(at, array): (usize, &ArrayTraffic)| {
            let known = |of: &[Option<f64>]| of.get(at).copied().flatten();
            let stated = launch.hit_rate.l2;
            if let Some(hits) = known(&self.scattered) {
                let from_dram = 1.0 - stated.unwrap_or(hits);
                return ArrayShare {
                    from_dram,
                    to_dram,
                    merged: 1.0,
                    is_scattered: true,
                    ..ArrayShare::default()
                };
            }
            let is_unknown = at + 1 == self.arrays.len();
            if is_unknown && self.has_assumed_tiles {
                // Blocks of matrix products mostly find their tiles in L2. Which blocks share tiles is not known.
                return ArrayShare { merged: 1.0, ..ArrayShare::default() };
            }
            let different = (array.written as f64 * scale).min(array.extent());
            let rewritten = (array.stored as f64 * scale / different.max(1.0)).max(1.0);
            let origin = self.origin(array, launch, shares);
            let missed = array.missed as f64 * scale;
            let by_chance = known(&self.by_chance).filter(|_| missed > 0.0);
            // Of the sectors that a block requests again, the L2 cache has all.
            let is_again = array.missed > array.read && by_chance.is_none() && !origin.is_stated;
            let first = origin.from_dram * array.missed as f64 / array.read.max(1) as f64;
            ArrayShare {
                from_dram: origin.from_dram,
                first_from_dram: is_again.then(|| first.min(1.0)),
                on_the_way: origin.on_the_way(is_shared(array.along), is_shared(array.across)),
                to_dram: to_dram / rewritten,
                merged: Self::merged(array, is_unknown, code),
                is_scattered: false,
                by_chance: by_chance.map(|all| stated.map_or(all, |hits| sectors_of(missed, 1.0 - hits))),
            }
        };
        self.arrays.iter().enumerate().map(share).collect()
    }
}

/// Requested sectors of each line, as a mask.
type Touched<Line> = FxHashMap<Line, u8>;

/// Origin of an array's sectors.
struct Origin {
    /// Share of the sectors missed in the L1 cache that DRAM delivers.
    from_dram: f64,
    /// True if the user states the L2 hit rate, from which `from_dram` follows.
    is_stated: bool,
    /// If neighbouring blocks along x in the grid use the same sector: the share of these blocks that are resident at
    /// the same time. `across` is the same along y.
    along: f64,
    across: f64,
}

impl Origin {
    /// Returns the share of the sectors that other SMs have requested and that are still in flight.
    fn on_the_way(&self, shared_along: bool, shared_across: bool) -> f64 {
        let together = match (shared_along, shared_across) {
            (true, false) => self.along,
            (_, true) => self.across,
            (false, false) => 0.0,
        };
        if self.is_stated { 0.0 } else { (together - self.from_dram).max(0.0) }
    }
}

/// True if neighbouring blocks are treated as using the same sectors, because they share most of their sectors.
fn is_shared(part: f64) -> bool {
    part > 0.5
}

/// Maximum number of loads per warp that are compared with those of a neighbouring block.
const FIRST: usize = 48; // limit: time
const MAX_STEPS: u64 = 4096; // limit: time

/// Returns the sectors that the warps of a block read first, by array and line, for the arrays in `wanted`.
fn first_sectors(look: &FootprintInputs, block: u64, wanted: &[bool]) -> Touched<(usize, u64)> {
    let mut touched = Touched::default();
    let mut requests = Requests::new(look);
    for number in 0..look.shares.per_block {
        let mut warp = look.warp(block, number);
        let (mut left, mut steps) = (FIRST, 0);
        while left > 0 && steps <= MAX_STEPS {
            if let Some(idle) = warp.run_idle(look.run, MAX_STEPS + 1 - steps) {
                steps += u64::from(idle.count);
                continue;
            }
            let Some(ran) = warp.step(look.run) else { break };
            steps += 1;
            let access = requests.access(look.run, look.arch, &warp, &ran, 0, Timing::LeftOut);
            if let Some(access) = access.filter(|access| !access.is_store && !access.lines.is_empty()) {
                if wanted.get(access.array) == Some(&true) {
                    for (line, sectors) in access.lines {
                        *touched.entry((access.array, line)).or_default() |= sectors;
                    }
                }
                left -= 1;
            }
        }
    }
    touched
}
