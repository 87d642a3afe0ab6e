//! The SM: its warps on their sub-cores, one instruction after another.

use super::code::{Code, cycles};
use super::held_scoreboard::{HeldScoreboard, Release};
use super::memory::MemoryRequest;
use super::objects::{Objects, ReleasedWarps};
use super::path::{OnePath, Path};
use super::route::Route;
use super::shared::Shared;
use super::sub_core::{EarliestIssue, OccupiedUnit, Pipes, SubCore};
use super::warp::Warp;
use super::{Issue, Reason, Stall, View};
use crate::execution::Asynchronous;
use machine::Rule;
use std::ops::Range;

/// First cycle of a simulation, far enough above 0 that state which starts at cycle 0 delays no instruction.
pub(super) const START: u64 = 4096; // limit: nothing before it counts
/// Number of past cycles for which a sub-core keeps the use of its ports. A fixed-latency result is written within a few
/// cycles, but a wait may depend on the result hundreds of cycles later.
const MEMORY: u64 = 2048; // limit: memory of the simulation
/// Number of issues between two clean-ups of old state.
const TIDY: u64 = 256; // limit: time of tidying up

/// Barrier number that denotes the barrier of the cluster. The barriers of a block have lower numbers.
const CLUSTER: u32 = 16; // limit: a block has 16 barriers

/// Reason why a simulation ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The simulation exceeded the limit of warp instructions.
    TooLong,
    /// The view ended the simulation.
    Cancelled,
}

/// Runs `warps` warps along a path. Notifies the view of each issue, in the order of cycles and, within a
/// cycle, of sub-cores. Returns the number of issues, which is at most `limit`.
pub fn simulate(code: &Code, path: &Path, warps: u32, limit: u64, view: &mut impl View) -> Result<u64, Stop> {
    // Nothing issues where there is no code.
    let warps = if (path.start as usize) < code.ops.len() { warps } else { 0 };
    let blocks = Blocks { warps_per_block: (warps as usize).max(1), ..Blocks::default() };
    let mut sm = Sm::new(code, OnePath::new(path, warps), blocks, Shared::default());
    for warp in 0..warps as usize {
        sm.place(warp, path.start, START);
    }
    sm.start();
    let mut issued = 0;
    while let Some((at, cycle)) = sm.next() {
        let issue = sm.issue(at, cycle);
        issued += 1;
        if issued > limit {
            return Err(Stop::TooLong);
        }
        if !view.issued(&issue) {
            return Err(Stop::Cancelled);
        }
    }
    Ok(issued)
}

/// A warp that can issue, reduced to the data that its sub-core needs in each cycle.
#[derive(Debug, Clone, Copy)]
struct IssuableWarp {
    warp: u32,
    /// Pipe or queue that the warp's next instruction occupies.
    takes: OccupiedUnit,
    /// Lower bound of the warp's next issue cycle.
    bound: u64,
}

impl IssuableWarp {
    fn bound(&self, pipes: &Pipes) -> u64 {
        self.bound.max(pipes.free(self.takes))
    }
}

/// Returns the cycle of a sub-core's next issue and the index of its warp in `open`. The warp that can issue
/// first is selected. In a tie, the warp that issued last is selected, otherwise the youngest warp. `free` is
/// the first cycle in which the sub-core can issue at all.
fn first(core: &SubCore, open: &[IssuableWarp], free: u64) -> Option<(u64, usize)> {
    let frozen = &core.collector.frozen;
    let earliest = |warp: &IssuableWarp| warp.bound(&core.pipes).max(free);
    // Starts with the youngest, so that an older one must be earlier.
    let (mut least, mut youngest) = (u64::MAX, None);
    for (at, warp) in open.iter().enumerate().rev() {
        let earliest = earliest(warp);
        if earliest < least {
            (least, youngest) = (earliest, Some(at));
        }
    }
    let youngest = youngest?;
    if least == free || !frozen.contains(least) {
        // Usually that cycle is not frozen, and a warp that can issue in it is first.
        let last = core.last.and_then(|last| open.binary_search_by_key(&last, |warp| warp.warp).ok());
        let place = last.filter(|&at| earliest(&open[at]) == least).unwrap_or(youngest);
        return Some((least, place));
    }
    let (mut first, mut place) = (u64::MAX, None);
    // Starts with the youngest, so that an older one must be earlier or have issued last.
    for (at, warp) in open.iter().enumerate().rev() {
        let earliest = earliest(warp);
        if earliest > first {
            continue;
        }
        let is_later = |cycle: u64| place.is_some() && cycle == first && core.last != Some(warp.warp);
        if is_later(earliest) {
            continue;
        }
        let cycle = if earliest == free { free } else { frozen.next_free(earliest) };
        if cycle <= first && !is_later(cycle) {
            (first, place) = (cycle, Some(at));
        }
    }
    place.map(|at| (first, at))
}

/// Splits the cycles from a warp's last issue to its issue in `cycle` into four waits: at the barrier, for the
/// stall count, for the reason in `ready`, and until the warp is selected. `interval` returns the cycles for
/// which the instruction occupies its pipe.
fn waits(
    warp: &Warp,
    ready: EarliestIssue,
    cycle: u64,
    interval: impl FnOnce() -> Option<u64>,
) -> [(Reason, u64); 4] {
    let met = warp.met.max(warp.last);
    let free = (warp.issued + warp.pause).clamp(met, cycle);
    let held = ready.cycle.clamp(free, cycle);
    let own = free - met;
    // The cycle of an issue is no wait.
    let own = if met == warp.last { own.saturating_sub(1) } else { own };
    // A pipe that others keep busy still accepts an instruction at intervals: to miss such a turn is no throttle.
    let turns = match ready.reason {
        Reason::MathPipeThrottle => interval().map_or(0, |interval| (held - free) / interval.max(1)),
        _ => 0,
    };
    [
        (Reason::Barrier, met - warp.last),
        (warp.why, own),
        (ready.reason, held - free - turns),
        (Reason::NotSelected, cycle - held + turns),
    ]
}

/// Turnover of blocks in the slots of an SM.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub warps_per_block: usize,
    /// Cycles from a block's last exit until the replacing block starts.
    pub turn: u64,
    /// Minimum cycles between the ends of two blocks.
    pub retire: f64,
    /// The cycle in which the last block was retired.
    pub retired: f64,
    pub done: u64,
}

pub(super) struct Sm<'a, R> {
    code: &'a Code,
    pub route: R,
    warps: Vec<Warp>,
    cores: Vec<SubCore>,
    /// The warps of each sub-core that are neither done nor at a barrier, the oldest first.
    open: Vec<Vec<IssuableWarp>>,
    /// The next issue of each sub-core: cycle, warp, and the warp's index in `open`; `None` if no warp can issue.
    candidates: Vec<Option<(u64, usize, usize)>>,
    /// Lower bound of each warp's next issue. Issues of other warps can only delay it further.
    bounds: Vec<EarliestIssue>,
    pub shared: Shared,
    pub blocks: Blocks,
    objects: Objects,
    issues: u64,
}

impl<'a, R: Route> Sm<'a, R> {
    pub(super) fn new(code: &'a Code, route: R, blocks: Blocks, shared: Shared) -> Self {
        let cores = code.figures.sub_cores();
        Self {
            code,
            route,
            bounds: Vec::new(),
            cores: vec![SubCore::default(); cores],
            candidates: vec![None; cores],
            open: vec![Vec::new(); cores],
            warps: Vec::new(),
            shared,
            blocks,
            objects: Objects::default(),
            issues: 0,
        }
    }

    /// Places a warp in slot `at`. Its first instruction issues in cycle `start` or later.
    pub(super) fn place(&mut self, at: usize, first: u32, start: u64) {
        let warp = Warp::new(at as u32, first, start);
        let bound = EarliestIssue { cycle: start, reason: Reason::Wait, on: None };
        if at == self.warps.len() {
            self.warps.push(warp);
            self.bounds.push(bound);
        } else {
            self.warps[at] = warp;
            self.bounds[at] = bound;
        }
        self.open_up(at);
    }

    /// Adds a warp to the list of warps of its sub-core that can issue.
    fn open_up(&mut self, at: usize) {
        let cores = self.cores.len();
        let takes = OccupiedUnit::by(self.code.ops[self.warps[at].at as usize].rule);
        let open = &mut self.open[at % cores];
        let warp = at as u32;
        // Warps are sorted by number: a higher number is younger.
        let place = open.partition_point(|other| other.warp < warp);
        open.insert(place, IssuableWarp { warp, takes, bound: self.bounds[at].cycle });
    }

    /// Finds the first issues, once the first warps are placed.
    pub(super) fn start(&mut self) {
        for core in 0..self.cores.len() {
            self.choose(core);
        }
    }

    pub(super) fn next(&self) -> Option<(usize, u64)> {
        let candidates = self.candidates.iter().enumerate();
        candidates
            .filter_map(|(core, candidate)| Some((core, candidate.as_ref()?.0)))
            .min_by_key(|(_, cycle)| *cycle)
    }

    /// Finds the warp of a sub-core that issues next.
    fn choose(&mut self, core: usize) {
        let state = &self.cores[core];
        let open = &mut self.open[core];
        if open.is_empty() {
            self.candidates[core] = None;
            return;
        }
        let free = state.collector.frozen.next_free(state.next);
        self.candidates[core] = loop {
            let Some((cycle, place)) = first(state, open, free) else { break None };
            let open = &mut open[place];
            let best = open.warp as usize;
            let ready = state.ready(self.code, &self.warps[best]);
            open.bound = ready.cycle;
            self.bounds[best] = ready;
            if ready.cycle <= cycle {
                break Some((cycle, best, place));
            }
        };
    }

    /// Calls [`Self::choose`] for each sub-core that has one of these warps.
    fn choose_all(&mut self, warps: Range<usize>) {
        let cores = self.cores.len();
        for at in warps.take(cores) {
            self.choose(at % cores);
        }
    }

    pub(super) fn issue(&mut self, core: usize, cycle: u64) -> Issue {
        let (_, at, place) = self.candidates[core].expect("the sub-core has a candidate");
        let code = self.code;
        let warp = &mut self.warps[at];
        let inst = warp.at;
        let ready = self.bounds[at];
        let cycles_between = cycle.saturating_sub(warp.last + 1);
        let met = warp.met.saturating_sub(warp.last);
        let stall = if met > cycle.saturating_sub(warp.met) {
            // Most of the time the warp waited for the others of its block.
            Stall { cycles: cycles_between, reason: Reason::Barrier, on: None }
        } else if cycle > ready.cycle {
            Stall { cycles: cycles_between, reason: Reason::NotSelected, on: None }
        } else {
            Stall { cycles: cycles_between, reason: ready.reason, on: ready.on }
        };
        let waits = waits(warp, ready, cycle, || code.interval(inst));
        let step = self.route.step(at, inst);
        if let Some(memory) = &mut self.shared.memory {
            for access in &step.passed {
                memory.pass(access);
            }
        }
        let transfer = if step.access.as_ref().is_some_and(|access| access.transfer.is_some()) {
            step.access
        } else {
            self.shared.access = step.access;
            None
        };
        self.cores[core].issue(code, &mut self.shared, warp, cycle);
        warp.last = cycle;
        let rule = code.ops[inst as usize].rule;
        match step.next {
            Some((next, is_taken)) if (next as usize) < code.ops.len() => {
                warp.at = next;
                if is_taken {
                    warp.pause = cycles(&code.figures.issue.taken_branch);
                    warp.why = Reason::BranchResolving;
                    warp.fetch = Some((code.ops[next as usize].line, cycle + warp.pause));
                }
            }
            _ => warp.is_done = true,
        }
        let is_numbered =
            matches!(step.asynchronous, Some(Asynchronous::Barrier { .. } | Asynchronous::MeetCluster));
        let is_met = rule == Rule::Barrier && !is_numbered && !step.is_off;
        if is_met && !warp.is_done {
            warp.is_waiting = true;
        }
        let released = match step.asynchronous {
            Some(operation) => self.carry_out(at, inst, cycle, &operation, transfer),
            None => ReleasedWarps::default(),
        };
        let warp = &mut self.warps[at];
        let open = &mut self.open[core];
        if warp.is_done || warp.is_waiting || warp.is_parked {
            open.remove(place);
        } else {
            open[place].bound = cycle + warp.pause;
            open[place].takes = OccupiedUnit::by(code.ops[warp.at as usize].rule);
        }
        self.bounds[at].cycle = cycle;
        self.issues += 1;
        if self.issues.is_multiple_of(TIDY) {
            syntax::stop::check();
            self.tidy(cycle);
        }
        for &other in &released.warps {
            self.wake(other, released.cycle);
        }
        if is_met || self.warps[at].is_done {
            self.release(at / self.blocks.warps_per_block, cycle);
        }
        self.choose(core);
        Issue { warp: at as u32, sub_core: core as u32, inst, cycle, stall, waits }
    }

    /// Carries out the asynchronous operation that a warp has issued, and returns the warps that it releases.
    fn carry_out(
        &mut self,
        at: usize,
        inst: u32,
        cycle: u64,
        operation: &Asynchronous,
        transfer: Option<Box<MemoryRequest>>,
    ) -> ReleasedWarps {
        let figures = &self.code.figures;
        let block = at / self.blocks.warps_per_block;
        let counted = cycle + cycles(&figures.sync.arrive);
        match *operation {
            Asynchronous::Initialise { barrier, arrivals } => {
                self.objects.initialise(block, barrier, arrivals);
            }
            Asynchronous::Arrive(ref arrivals) => {
                return self.objects.arrive_all(block, arrivals, 1, counted);
            }
            Asynchronous::ArriveAfterCopies(ref arrivals) => {
                let counted = counted.max(self.warps[at].copied);
                return self.objects.arrive_all(block, arrivals, 1, counted);
            }
            Asynchronous::Deliver(ref arrivals) => {
                let end = cycle.max(self.shared.network.free as u64) + cycles(&figures.remote.delivery);
                return self.objects.arrive_all(block, arrivals, -1, end);
            }
            Asynchronous::Await { barrier, is_odd } => match self.objects.wait(block, barrier, is_odd, at) {
                Some(completed)
                    if completed + cycles(&figures.sync.wake) > cycle + cycles(&figures.sync.ready) =>
                {
                    self.finish_wait(at, inst, completed);
                }
                Some(_) => {}
                None => self.warps[at].is_parked = true,
            },
            Asynchronous::Transfer(_) => {
                let Some(request) = transfer else { return ReleasedWarps::default() };
                let end = self.shared.transfer(figures, cycle, &request);
                let Some(transfer) = &request.transfer else { return ReleasedWarps::default() };
                if let Some(barrier) = transfer.barrier {
                    let bytes = i64::from(transfer.bytes) * i64::from(transfer.receivers);
                    return self.objects.arrive(block, barrier, 0, -bytes, end);
                }
                let warp = &mut self.warps[at];
                warp.transferred = warp.transferred.max(end);
            }
            Asynchronous::Barrier { number, warps, waits } => {
                let warp = &mut self.warps[at];
                warp.is_parked = waits;
                let expected = warps.unwrap_or_else(|| self.open_warps(block));
                let met = cycle.max(self.shared.barriers) + cycles(&figures.barrier.meet);
                return self.objects.meet((block, number), waits.then_some(at), expected, met);
            }
            Asynchronous::MeetCluster => {
                self.warps[at].is_parked = true;
                let expected = self.open_warps(block);
                let met = cycle.max(self.shared.barriers) + cycles(&figures.remote.meet);
                return self.objects.meet((block, CLUSTER), Some(at), expected, met);
            }
            Asynchronous::Invalidate => {
                if let Some(memory) = &mut self.shared.memory {
                    memory.invalidate();
                }
            }
            Asynchronous::Unknown => {}
        }
        ReleasedWarps::default()
    }

    /// Returns the slots of a block's warps.
    fn warps_of(&self, block: usize) -> Range<usize> {
        let first = block * self.blocks.warps_per_block;
        first..(first + self.blocks.warps_per_block).min(self.warps.len())
    }

    /// Returns the number of warps of a block that have not exited.
    fn open_warps(&self, block: usize) -> u32 {
        let own = self.warps_of(block);
        self.warps[own].iter().filter(|warp| !warp.is_done).count() as u32
    }

    /// Ends a warp's wait on a barrier object whose phase completes in cycle `completed`.
    fn finish_wait(&mut self, at: usize, inst: u32, completed: u64) {
        let release = Release::At(completed + cycles(&self.code.figures.sync.wake));
        let warp = &mut self.warps[at];
        if let Some(board) = self.code.ops[inst as usize].write {
            warp.set(board, HeldScoreboard { visible: 0, release, on: inst, reason: Reason::LongScoreboard });
        }
    }

    /// Lets a parked warp continue.
    fn wake(&mut self, at: usize, cycle: u64) {
        let warp = &mut self.warps[at];
        if !std::mem::take(&mut warp.is_parked) {
            return;
        }
        let Some(inst) = warp.before else { return };
        if self.code.ops[inst as usize].rule == Rule::Barrier {
            warp.issued = warp.issued.max(cycle);
            warp.barrier = warp.issued;
            warp.met = warp.issued;
            self.bounds[at].cycle = warp.issued;
        } else {
            self.finish_wait(at, inst, cycle);
        }
        self.open_up(at);
        self.choose(at % self.cores.len());
    }

    /// True if warps are stuck: they wait for an event that no other warp will cause.
    pub(super) fn is_stuck(&self) -> bool {
        self.next().is_none() && self.warps.iter().any(|warp| !warp.is_done)
    }

    /// Releases the warps of a block once all warps that have not exited have reached the barrier. Replaces a
    /// block whose warps have all exited.
    fn release(&mut self, block: usize, now: u64) {
        let own = self.warps_of(block);
        let warps = &self.warps[own.clone()];
        if warps.iter().all(|warp| warp.is_done) {
            return self.replace(own, now);
        }
        let all_there = warps.iter().all(|warp| warp.is_done || warp.is_waiting);
        let waiting = warps.iter().filter(|warp| warp.is_waiting);
        let count = waiting.clone().count();
        let Some(last) = waiting.map(|warp| warp.arrived).max().filter(|_| all_there) else { return };
        let last = last + if count > 1 { cycles(&self.code.figures.barrier.meet) } else { 0 };
        for at in own.clone() {
            if !self.warps[at].is_waiting {
                continue;
            }
            let warp = &mut self.warps[at];
            warp.is_waiting = false;
            warp.issued = last;
            warp.barrier = last;
            warp.met = last;
            if let Some((_, at)) = &mut warp.fetch {
                *at = last;
            }
            self.bounds[at].cycle = last;
            self.open_up(at);
        }
        self.choose_all(own);
    }

    /// Replaces a finished block with the next block.
    fn replace(&mut self, own: Range<usize>, now: u64) {
        self.objects.end(own.start / self.blocks.warps_per_block);
        let blocks = &mut self.blocks;
        blocks.done += 1;
        blocks.retired = (blocks.retired + blocks.retire).max(now as f64);
        let start = blocks.retired as u64 + blocks.turn;
        for at in own.clone() {
            if let Some(first) = self.route.begin(at) {
                self.place(at, first, start);
            }
        }
        self.choose_all(own);
    }

    fn tidy(&mut self, now: u64) {
        let before = now.saturating_sub(MEMORY);
        for core in &mut self.cores {
            core.forget(before);
        }
        self.shared.wavefronts.forget(before);
        if self.shared.multiplied > 0
            && let Some(memory) = &mut self.shared.memory
        {
            let figures = &self.code.figures;
            let busy =
                self.shared.multiplied as f64 / (figures.sub_cores() as u64 * (now - START).max(1)) as f64;
            let throttle = f64::from(figures.product.throttle_milli.value) / 1000.0;
            memory.set_clock(1.0 - throttle * busy.min(1.0));
        }
    }
}
