//! The SM: its warps on their sub-cores, one instruction after another.

use super::code::{Code, cycles};
use super::cycles::Cycles;
use super::path::{Path, Progress};
use super::sub_core::{Ready, SubCore};
use super::warp::Warp;
use super::{Issue, Reason, Stall, View};
use machine::{Pipeline, Rule};

/// The cycle in which a simulation starts: far enough from 0 that nothing before it counts.
const START: u64 = 4096;
/// How far back the state of a sub-core matters: a result of fixed latency is written within a few cycles, but a wait may
/// ask hundreds of cycles later.
const MEMORY: u64 = 2048;
/// Issues between two times that the past is dropped.
const TIDY: u64 = 256;

/// What the sub-cores share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Cycles in which shared memory's data path is taken.
    wavefronts: Cycles,
    /// The end of the L1 cache's path.
    pub lines: u64,
}

impl Shared {
    /// Takes the data path for so many wavefronts of one sub-core, and gives the end.
    pub(super) fn wavefronts(&mut self, figures: &Pipeline, from: u64, count: u64) -> u64 {
        let mut cycle = from;
        for _ in 0..count {
            cycle = self.wavefronts.next_free(cycle);
            self.wavefronts.insert(cycle);
            cycle += cycles(&figures.shared.wavefront);
        }
        cycle
    }
}

/// Why a simulation ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// More warp instructions than the limit.
    TooLong,
    /// The view asked for it.
    Cancelled,
}

/// Runs so many warps along a path and tells the view of each issue, sub-core by sub-core in the order of cycles. Gives
/// the number of issues.
pub fn simulate(code: &Code, path: &Path, warps: u32, limit: u64, view: &mut impl View) -> Result<u64, Stop> {
    let mut sm = Sm::new(code, path, warps);
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

/// Of a sub-core's warps the one that issues next, and when: the first that can; of several the one that issued last, else
/// the youngest.
fn first(core: &SubCore, open: &[usize], bound: impl Fn(usize) -> u64) -> Option<(u64, usize)> {
    let frozen = &core.collector.frozen;
    let free = frozen.next_free(core.next);
    let mut first: Option<(u64, usize)> = None;
    // From the youngest on, so that an older one must be earlier or have issued last.
    for &warp in open.iter().rev() {
        let bound = bound(warp);
        let is_later = |cycle: u64| {
            first.is_some_and(|(known, _)| cycle > known || cycle == known && core.last != Some(warp as u32))
        };
        if is_later(bound.max(free)) {
            continue;
        }
        let cycle = if bound <= free { free } else { frozen.next_free(bound) };
        if !is_later(cycle) {
            first = Some((cycle, warp));
        }
    }
    first
}

struct Sm<'a> {
    code: &'a Code,
    path: &'a Path,
    warps: Vec<Warp>,
    progress: Vec<Progress>,
    cores: Vec<SubCore>,
    /// The warps of each sub-core that are neither done nor at a barrier.
    open: Vec<Vec<usize>>,
    /// The next issue of each sub-core: cycle and warp.
    candidates: Vec<Option<(u64, usize)>>,
    /// A bound from below of each warp's next issue: a wait only grows as others issue.
    bounds: Vec<Ready>,
    shared: Shared,
    issues: u64,
}

impl<'a> Sm<'a> {
    fn new(code: &'a Code, path: &'a Path, warps: u32) -> Self {
        let cores = code.figures.sub_cores();
        // Nothing issues where there is no code.
        let warps = if (path.start as usize) < code.ops.len() { warps } else { 0 };
        let warps: Vec<Warp> = (0..warps).map(|index| Warp::new(index, path.start, START)).collect();
        let mut sm = Self {
            code,
            path,
            progress: warps.iter().map(|_| Progress::default()).collect(),
            bounds: vec![Ready { cycle: START, reason: Reason::Wait, on: None }; warps.len()],
            cores: vec![SubCore::default(); cores],
            candidates: vec![None; cores],
            open: (0..cores).map(|core| (core..warps.len()).step_by(cores).collect()).collect(),
            warps,
            shared: Shared::default(),
            issues: 0,
        };
        for core in 0..cores {
            sm.choose(core);
        }
        sm
    }

    fn next(&self) -> Option<(usize, u64)> {
        let candidates = self.candidates.iter().enumerate();
        candidates
            .filter_map(|(core, candidate)| Some((core, candidate.as_ref()?.0)))
            .min_by_key(|(_, cycle)| *cycle)
    }

    /// Finds the warp of a sub-core that issues next.
    fn choose(&mut self, core: usize) {
        let state = &self.cores[core];
        let pipes = state.pipes();
        self.candidates[core] = loop {
            let bound = |at: usize| {
                let op = &self.code.ops[self.warps[at].at as usize];
                self.bounds[at].cycle.max(pipes.of(op.rule))
            };
            let Some((at, best)) = first(state, &self.open[core], bound) else { break None };
            let known = bound(best);
            let ready = state.ready(self.code, &self.warps[best], &pipes);
            let is_right = ready.cycle <= known;
            self.bounds[best] = ready;
            if is_right {
                break Some((at, best));
            }
        };
    }

    fn issue(&mut self, core: usize, cycle: u64) -> Issue {
        let (_, at) = self.candidates[core].expect("it was chosen");
        let code = self.code;
        let warp = &mut self.warps[at];
        let inst = warp.at;
        let ready = self.bounds[at];
        let cycles_between = cycle.saturating_sub(warp.issued + 1);
        let stall = if cycle > ready.cycle {
            Stall { cycles: cycles_between, reason: Reason::NotSelected, on: None }
        } else {
            Stall { cycles: cycles_between, reason: ready.reason, on: ready.on }
        };
        self.cores[core].issue(code, &mut self.shared, warp, cycle);
        let rule = code.ops[inst as usize].rule;
        match self.progress[at].next(self.path, inst) {
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
        if rule == Rule::Barrier && !warp.is_done {
            warp.is_waiting = true;
        }
        if warp.is_done || warp.is_waiting {
            self.open[core].retain(|&open| open != at);
        }
        self.bounds[at].cycle = cycle;
        self.issues += 1;
        if self.issues.is_multiple_of(TIDY) {
            self.tidy(cycle);
        }
        if rule == Rule::Barrier || self.warps[at].is_done {
            self.release();
        }
        self.choose(core);
        Issue { warp: at as u32, sub_core: core as u32, inst, cycle, stall }
    }

    /// Lets all warps go on once those that are left have come to the barrier.
    fn release(&mut self) {
        let all_there = self.warps.iter().all(|warp| warp.is_done || warp.is_waiting);
        let Some(last) = self.warps.iter().filter(|warp| warp.is_waiting).map(|warp| warp.issued).max()
        else {
            return;
        };
        if !all_there {
            return;
        }
        for (warp, bound) in self.warps.iter_mut().zip(&mut self.bounds).filter(|(warp, _)| warp.is_waiting) {
            warp.is_waiting = false;
            warp.issued = last;
            warp.barrier = last;
            if let Some((_, at)) = &mut warp.fetch {
                *at = last;
            }
            bound.cycle = last;
        }
        for core in 0..self.cores.len() {
            let own = (core..self.warps.len()).step_by(self.cores.len());
            self.open[core] = own.filter(|&at| !self.warps[at].is_done).collect();
            self.choose(core);
        }
    }

    fn tidy(&mut self, now: u64) {
        let before = now.saturating_sub(MEMORY);
        for core in &mut self.cores {
            core.forget(before);
        }
        self.shared.wavefronts.forget(before);
    }
}
