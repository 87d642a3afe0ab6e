//! Cycles of a launch. One SM is simulated with its blocks, and execution of the code determines each warp's
//! control flow and addresses.
//!
//! If the launch is too long, only its beginning is simulated. The remaining instructions are assumed to
//! issue at the rate of the second half of the simulation.

mod certainty;
mod interval;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_asynchronous;

use super::cache::Cache;
use super::code::{Code, cycles};
use super::footprint::{Footprint, FootprintInputs};
use super::launch_route::LaunchRoute;
use super::lines::Lines;
use super::memory::{Memory, Traffic};
use super::prediction::{Budget, Certainty, NoPrediction, Prediction, Resource};
use super::route::Route;
use super::shared::Shared;
use super::shares::Shares;
use super::sm::{Blocks, START, Sm};
use super::tiles::{self, TileBytes};
use super::views::{Pipe, PipePressure, WarpStates};
use super::{Reason, View};
use crate::paper::occupancy::{BlockNeeds, occupancy};
use crate::{Launch, execution};
use machine::{Arch, Gpu};
use std::collections::BTreeSet;

/// Maximum number of instructions skipped per simulated instruction.
const MAX_THINNED: f64 = 12.0; // limit: accuracy

/// Predicts a launch within a budget. `go_on` is polled; `false` cancels the prediction.
///
/// A launch whose cycles depend on the contents of memory is simulated twice more, for the best case and the
/// worst case. The same applies to a launch with instructions without a measured time.
pub fn predict(
    code: &Code,
    run: &execution::Code,
    gpu: &Gpu,
    launch: &Launch,
    budget: Budget,
    go_on: &dyn Fn() -> bool,
) -> Result<Prediction, NoPrediction> {
    let asked = certainty::PredictionInputs { code, run, gpu, launch, budget, go_on };
    let (mut prediction, met) = once(asked)?;
    let certainty = asked.certainty(&prediction, &met)?;
    (prediction.low, prediction.high) = interval::interval(code, &prediction, &certainty, met.is_contended);
    prediction.certainty = certainty;
    Ok(prediction)
}

/// Simulates a launch once; returns the prediction, and the unknowns that the simulation encountered.
fn once(asked: certainty::PredictionInputs<'_>) -> Result<(Prediction, EncounteredUnknowns), NoPrediction> {
    let certainty::PredictionInputs { code, run, gpu, launch, budget, go_on } = asked;
    let most = budget.instructions;
    let arch = &gpu.arch;
    if code.is_empty() {
        return Err(NoPrediction::NoCode);
    }
    let resident = occupancy(&arch.resources, launch.block_needs()).active_blocks;
    if resident == 0 {
        return Err(NoPrediction::DoesNotFit);
    }
    let shares = Shares::compute(gpu, launch, resident);
    let l1_bytes = l1_bytes(code, arch, launch);
    let lines = Lines::from_arch(arch);
    let mut look =
        FootprintInputs { run, arch, launch, shares: &shares, lines, tiles: &TileBytes::default() };
    let tiles = tiles::infer(&look);
    look.tiles = &tiles;
    let footprint = Footprint::measure(&look, Cache::l1(&code.figures, l1_bytes), most / 2);
    let arrays = footprint.shares(code, launch, &shares);
    let stale = footprint.stale(code);
    let memory =
        Memory::new(&code.figures, lines, l1_bytes, shares.of_chip, arrays, launch.hit_rate.l1, stale);
    let mut sm = set_up(code, look, memory);
    let mut view = (WarpStates::new(code.len()), PipePressure::new(code));
    let all = footprint.instructions_per_warp * shares.warps();
    // A launch with loops is thinned out. One that is long without loops, or too long even for skipping, is cut off.
    let thinned = all / most as f64;
    // Skipped iterations would leave barrier objects behind.
    if (1.1..=MAX_THINNED).contains(&thinned) && !run.has_objects() {
        sm.route.thin_out(thinned);
    }
    let mut progress = Progress::new(2 * most, all);
    while let Some((core, cycle)) = sm.next() {
        let issue = sm.issue(core, cycle);
        view.issued(&issue);
        if !progress.went_on(cycle, sm.route.passed) {
            break;
        }
        if progress.issued.is_multiple_of(4096) && !go_on() {
            return Err(NoPrediction::Cancelled);
        }
    }
    let is_stuck = sm.is_stuck();
    let prediction = sum_up(code, look, &footprint, &sm, &view, &progress);
    let at_slices = sm.shared.memory.as_ref().map_or(0.0, Memory::slice_cycles) / prediction.simulated;
    let is_contended = at_slices > 0.5 * prediction.cycles;
    let route = sm.route;
    let all: u64 = route.executed.iter().sum();
    let per_warp = footprint.instructions_per_warp / (all as f64).max(1.0);
    let requests = route.requests;
    let met = EncounteredUnknowns {
        depends_on_data: !route.undecided.is_empty()
            || !route.guessed_trips.is_empty()
            || !requests.unknown.is_empty()
            || !requests.unknown_shared.is_empty(),
        unknown_operation: route.unknown_asynchronous.first().copied(),
        is_stuck,
        is_contended,
        unplaced: requests.unplaced,
        executed: route.executed.into_iter().map(|times| times as f64 * per_warp).collect(),
        warps: shares.warps(),
        rounds: (shares.blocks / f64::from(shares.resident)).ceil().max(1.0),
    };
    Ok((prediction, met))
}

/// The unknowns that a simulation encountered, and the counts that bound their effect.
#[derive(Debug)]
struct EncounteredUnknowns {
    /// True if addresses, lanes, branches or trip counts depend on memory contents.
    depends_on_data: bool,
    /// An asynchronous operation whose operands or tensor are unknown.
    unknown_operation: Option<u32>,
    /// True if warps are stuck: they wait for an event that no other warp will cause.
    is_stuck: bool,
    /// True if atomics on the same words or sectors take more than half of the cycles.
    is_contended: bool,
    /// Generic accesses that may be outside global memory.
    unplaced: BTreeSet<u32>,
    /// Mean number of executions of each instruction per warp.
    executed: Vec<f64>,
    /// Number of warps that the SM runs in the launch.
    warps: f64,
    /// Number of times that the SM's block slots are filled, rounded up.
    rounds: f64,
}

fn l1_bytes(code: &Code, arch: &Arch, launch: &Launch) -> u32 {
    let resources = &arch.resources;
    let threads = launch.threads_per_block();
    if launch.shared.value == 0 {
        return code.figures.l1_bytes(0, 0, 0);
    }
    let shared = launch.shared.value.saturating_add(resources.shared_reserved_per_block.value);
    // Number of resident blocks without shared memory.
    let needs = BlockNeeds { shared: 0, ..launch.block_needs() };
    let resident = occupancy(resources, needs).active_blocks;
    let is_largest = threads >= resources.max_threads_per_block.value;
    let hoped = if is_largest { resident } else { (2 * resident).min(resources.max_blocks.value) };
    code.figures.l1_bytes(shared, resident, hoped)
}

/// Creates the SM with its first blocks placed.
fn set_up<'a>(code: &'a Code, look: FootprintInputs<'a>, memory: Memory) -> Sm<'a, LaunchRoute<'a>> {
    let shares = look.shares;
    let figures = &code.figures.launch;
    let active = f64::from(shares.sms).min(shares.all_blocks as f64);
    let blocks = Blocks {
        warps_per_block: shares.per_block as usize,
        turn: cycles(&figures.turn),
        retire: f64::from(figures.between.value) / 1000.0 * active,
        retired: START as f64,
        done: 0,
    };
    let shared = Shared { memory: Some(memory), ..Shared::default() };
    let mut sm = Sm::new(code, LaunchRoute::new(look), blocks, shared);
    let first = f64::from(shares.resident).min(shares.blocks.ceil()) as u32;
    let per_warp = |warps: u32| cycles(&figures.warp) * u64::from(warps) / 1000;
    let between = (cycles(&figures.block) + u64::from(shares.per_block)).max(per_warp(shares.per_block));
    for block in 0..first {
        let start = START + cycles(&figures.first) + between * u64::from(block);
        for warp in 0..shares.per_block {
            let at = (block * shares.per_block + warp) as usize;
            if let Some(first) = sm.route.begin(at) {
                sm.place(at, first, start + per_warp(warp).min(between));
            }
        }
    }
    sm.start();
    sm
}

/// Maximum ratio of the instructions that a simulation runs or skips to their estimated number.
const MAX_LENGTH_RATIO: f64 = 4.0; // limit: time

/// Progress of a simulation.
struct Progress {
    most: u64,
    /// Total number of warp instructions that the SM has to issue.
    all: f64,
    issued: u64,
    /// Cycle in which half of `most` instructions had issued, and the number of instructions issued or
    /// skipped by then.
    half: Option<(u64, u64)>,
    last: u64,
    is_cut: bool,
}

impl Progress {
    fn new(most: u64, all: f64) -> Self {
        Self { most, all, issued: 0, half: None, last: START, is_cut: false }
    }

    /// Records an issue. Returns `false` to end the simulation. `passed` is the number of instructions
    /// skipped so far.
    fn went_on(&mut self, cycle: u64, passed: u64) -> bool {
        self.issued += 1;
        self.last = self.last.max(cycle);
        if self.half.is_none() && self.issued >= self.most / 2 {
            self.half = Some((self.last, self.issued + passed));
        }
        let done = (self.issued + passed) as f64;
        // A launch that is much longer than estimated may never end.
        let is_endless = done > MAX_LENGTH_RATIO * self.all.max(self.most as f64);
        self.is_cut = self.issued >= self.most && (done < 0.95 * self.all || is_endless);
        !self.is_cut
    }

    /// Extrapolates the SM's cycles to all its instructions, of which `passed` were skipped.
    fn cycles(&self, passed: u64) -> f64 {
        let simulated = (self.last - START) as f64;
        // Skipped instructions would have taken as long as the others.
        let longer = 1.0 + passed as f64 / self.issued.max(1) as f64;
        let done = (self.issued + passed) as f64;
        match self.half {
            Some((half, before)) if self.is_cut => {
                let rate = (done - before as f64) / ((self.last - half).max(1) as f64 * longer);
                simulated * longer + (self.all - done).max(0.0) / rate.max(f64::MIN_POSITIVE)
            }
            _ => simulated * longer,
        }
    }
}

fn sum_up(
    code: &Code,
    FootprintInputs { launch, shares, .. }: FootprintInputs<'_>,
    footprint: &Footprint,
    sm: &Sm<'_, LaunchRoute<'_>>,
    view: &(WarpStates, PipePressure<'_>),
    progress: &Progress,
) -> Prediction {
    let passed = (progress.last - START).max(1) as f64;
    let memory = sm.shared.memory.as_ref();
    let moved = memory.map_or(0, Memory::end).max(sm.shared.network.free as u64).saturating_sub(START) as f64;
    let retired = sm.blocks.retired - START as f64;
    let done = (progress.issued + sm.route.passed) as f64;
    let simulated = if progress.is_cut {
        (progress.issued as f64 / progress.all.max(1.0)).min(1.0)
    } else {
        progress.issued as f64 / done
    };
    let longer = progress.cycles(sm.route.passed);
    // The blocks of this SM may be longer or shorter than those of others.
    let like_others = if footprint.varies && !progress.is_cut { progress.all / done.max(1.0) } else { 1.0 };
    let slice_cycles = memory.map_or(0.0, Memory::slice_cycles);
    let ended = if simulated < 1.0 { longer } else { longer.max(moved).max(retired) };
    let on_sm = ended * like_others * footprint.imbalance;
    let on_sm = on_sm.max(slice_cycles / simulated);
    let figures = &code.figures.launch;
    let traffic = memory.map_or(Traffic::default(), |memory| memory.traffic);
    let chip = 1.0 / shares.of_chip / simulated;
    let pipe = &code.figures;
    let l2_bytes = memory.map_or(0.0, Memory::l2_bytes);
    let sub_cores = code.figures.sub_cores() as u64;
    let window = passed.max(moved).max(slice_cycles).max(1.0);
    let paths = [
        (Pipe::Shared, sm.shared.wavefront_cycles),
        (Pipe::Global, sm.shared.line_cycles),
        (Pipe::Texture, sm.shared.texture_cycles),
    ];
    let pipes = view.1.shares(window as u64, sub_cores);
    let mut busy: Vec<(Resource, f64)> =
        pipes.into_iter().map(|(pipe, share)| (Resource::Pipe(pipe), share)).collect();
    // The load of these depends on the addresses, which the view does not see.
    busy.retain(|(resource, _)| !paths.iter().any(|(pipe, _)| *resource == Resource::Pipe(*pipe)));
    busy.extend(paths.map(|(pipe, cycles)| (Resource::Pipe(pipe), cycles as f64 / window)));
    busy.push((Resource::Network, sm.shared.network.busy / window));
    busy.push((Resource::L2, traffic.path_cycles.max(slice_cycles) / window));
    let of_dram =
        traffic.dram_bytes / shares.of_chip / f64::from(pipe.dram.bytes_per_cycle.value.max(1)) / window;
    busy.push((Resource::Dram, of_dram));
    busy.push((Resource::Blocks, sm.blocks.done as f64 * sm.blocks.retire / window));
    busy.sort_by(|one, other| other.1.total_cmp(&one.1));
    let waited: Vec<(Reason, u64)> =
        view.0.total().into_iter().filter(|(reason, _)| *reason != Reason::NotSelected).collect();
    let all: u64 = waited.iter().map(|(_, cycles)| cycles).sum();
    // Skipped instructions wait as long as the others.
    let times = view.0.per_issue().zip(&sm.route.executed).map(|(per_issue, executed)| {
        per_issue.map_or((0.0, None), |(cycles, reason)| (cycles * *executed as f64, reason))
    });
    let mut times: Box<[(f64, Option<Reason>)]> = times.collect();
    let time: f64 = times.iter().map(|(time, _)| time).sum();
    times.iter_mut().for_each(|(own, _)| *own /= time.max(f64::MIN_POSITIVE));
    let hit = |hits: f64, of: f64| (of > 0.0).then(|| (hits / of).clamp(0.0, 1.0));
    let asked = traffic.sectors as f64;
    Prediction {
        cycles: on_sm + cycles(&figures.base) as f64,
        low: 0.0,
        high: f64::INFINITY,
        resident_blocks: shares.resident,
        waves: shares.all_blocks as f64 / (f64::from(shares.sms) * f64::from(shares.resident)),
        instructions: footprint.instructions_per_warp * f64::from(shares.per_block) * launch.blocks() as f64,
        stalls: waited
            .into_iter()
            .map(|(reason, cycles)| (reason, cycles as f64 / all.max(1) as f64))
            .collect(),
        shares: times,
        busy,
        l1_hit: hit(traffic.l1_hits as f64, asked),
        l2_hit: hit(l2_bytes - traffic.dram_bytes, l2_bytes),
        l2_bytes: l2_bytes * chip,
        dram_bytes: traffic.dram_bytes * chip,
        guessed_trips: sm.route.guessed_trips.clone(),
        unknown_addresses: sm
            .route
            .requests
            .unknown
            .union(&sm.route.requests.assumed_tiles)
            .copied()
            .collect(),
        undecided: sm.route.undecided.union(&sm.route.requests.unknown_shared).copied().collect(),
        slow_paths: sm.route.considerable_slow_paths(),
        simulated,
        certainty: Certainty::Settled,
    }
}
