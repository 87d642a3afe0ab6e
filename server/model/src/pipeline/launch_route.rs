//! Control flow of a launch's warps through an SM, block after block.

use super::footprint::FootprintInputs;
use super::memory::MemoryRequest;
use super::requests::{Requests, Timing};
use super::route::{Route, RouteStep};
use crate::execution::{Asynchronous, SharedWords, Warp};
use std::collections::BTreeSet;

/// Route of warps whose control flow is determined by executing their code.
pub(super) struct LaunchRoute<'a> {
    look: FootprintInputs<'a>,
    warps: Vec<Option<Warp>>,
    /// Number of blocks started so far.
    begun: u64,
    /// The block in each slot.
    blocks: Vec<Option<u64>>,
    /// Shared memory of the block in each slot.
    words: Vec<SharedWords>,
    pub requests: Requests,
    pub guessed_trips: BTreeSet<u32>,
    /// Period in loop iterations, of which [`WHOLE`] are simulated; 0 if all iterations are simulated.
    period: u64,
    /// Iterations of each warp's loops so far.
    passes: Vec<LoopIterations>,
    /// Number of warp instructions that were skipped.
    pub passed: u64,
    /// Executions of each instruction so far.
    pub executed: Vec<u64>,
    /// Instructions whose active lanes or next instruction depended on unknown values.
    pub undecided: BTreeSet<u32>,
    /// Branches to slow paths, such as those of a division, that were assumed not to be taken.
    pub slow_paths: BTreeSet<u32>,
    /// Asynchronous operations whose operands are not known.
    pub unknown_asynchronous: BTreeSet<u32>,
}

/// Iterations of a warp's current loops: the instruction index of each backward branch, and its iteration count.
#[derive(Debug, Default)]
struct LoopIterations(Vec<(u32, u64)>);

impl LoopIterations {
    fn count(&mut self, branch: u32) -> &mut u64 {
        let known = self.0.iter().position(|&(of, _)| of == branch);
        let at = known.unwrap_or_else(|| {
            self.0.push((branch, 0));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    fn forget(&mut self, branch: u32) {
        self.0.retain(|&(of, _)| of != branch);
    }
}

/// Maximum number of instructions skipped in one step.
const MAX_SKIPPED: u32 = 1 << 16; // limit: time of one step

/// Number of consecutive loop iterations that are simulated.
const WHOLE: u64 = 4; // limit: time

impl<'a> LaunchRoute<'a> {
    pub(super) fn new(look: FootprintInputs<'a>) -> Self {
        Self {
            look,
            warps: Vec::new(),
            begun: 0,
            words: Vec::new(),
            blocks: Vec::new(),
            requests: Requests::new(&look),
            guessed_trips: BTreeSet::new(),
            period: 0,
            passes: Vec::new(),
            passed: 0,
            executed: vec![0; look.run.len()],
            undecided: BTreeSet::new(),
            slow_paths: BTreeSet::new(),
            unknown_asynchronous: BTreeSet::new(),
        }
    }

    /// Simulates about one in `times` loop iterations from now on.
    pub(super) fn thin_out(&mut self, times: f64) {
        self.period = (WHOLE as f64 * times).ceil() as u64;
    }

    /// Counts the loop iteration that this backward branch starts. Returns true if the iteration is to be skipped
    /// instead of simulated.
    fn is_passed(&mut self, at: usize, branch: u32) -> bool {
        let pass = self.passes[at].count(branch);
        *pass += 1;
        *pass % self.period >= WHOLE
    }

    /// Executes a loop without timing until control leaves the loop or an iteration is to be simulated again.
    /// Returns the requests of the executed instructions.
    fn pass_over(&mut self, at: usize, head: u32, branch: u32) -> Vec<MemoryRequest> {
        let mut accesses = Vec::new();
        let mut is_called = false;
        // An inner loop may be endless; then timing resumes inside it.
        let mut left = u64::from(MAX_SKIPPED);
        while left > 0 {
            let Some(warp) = self.warps[at].as_mut() else { return accesses };
            if let Some(next) = warp.next().filter(|next| (head..branch).contains(next))
                && let Some(idle) = warp.run_idle(self.look.run, left.min(u64::from(branch - next)))
            {
                left -= u64::from(idle.count);
                self.passed += u64::from(idle.count);
                is_called = false;
                continue;
            }
            left -= 1;
            let Some(ran) = warp.step(self.look.run) else { return accesses };
            let next = warp.next();
            self.passed += 1;
            self.executed[ran.inst as usize] += 1;
            let place = at as u64;
            let FootprintInputs { run, arch, .. } = self.look;
            if let Some(access) = self.requests.access(run, arch, warp, &ran, place, Timing::LeftOut)
                && !access.lines.is_empty()
            {
                accesses.push(access);
            }
            let Some(next) = next else { return accesses };
            if ran.inst == branch && next == head && !self.is_passed(at, branch) {
                return accesses;
            }
            let is_inside = (head..=branch).contains(&next);
            if !is_inside && !is_called && !self.look.run.is_call(ran.inst) {
                self.passes[at].forget(branch);
                return accesses;
            }
            is_called = !is_inside;
        }
        accesses
    }
}

const NOWHERE: RouteStep =
    RouteStep { next: None, is_off: false, access: None, asynchronous: None, passed: Vec::new() };

impl LaunchRoute<'_> {
    /// Returns the branches to slow paths if these paths would be a considerable share of the executed instructions;
    /// otherwise none.
    pub(super) fn considerable_slow_paths(&self) -> BTreeSet<u32> {
        /// Number of instructions that a warp is assumed to execute on a slow path.
        const LENGTH: u64 = 30; // limit: about those of a division that ptxas 13.5 generates
        /// Share of the executed instructions above which slow paths are reported.
        const SHARE: f64 = 0.1; // limit: about the error of a launch's prediction
        let slow: u64 = self.slow_paths.iter().map(|&inst| LENGTH * self.executed[inst as usize]).sum();
        let all: u64 = self.executed.iter().sum();
        if slow as f64 > SHARE * all as f64 { self.slow_paths.clone() } else { BTreeSet::new() }
    }
}

impl Route for LaunchRoute<'_> {
    fn step(&mut self, at: usize, inst: u32) -> RouteStep {
        let Some(warp) = self.warps[at].as_mut() else { return NOWHERE };
        let FootprintInputs { run, arch, shares, .. } = self.look;
        let Some(ran) = warp.step(run) else { return NOWHERE };
        debug_assert_eq!(ran.inst, inst, "the simulation follows the warp");
        if ran.is_guessed {
            self.guessed_trips.insert(ran.inst);
        }
        self.executed[inst as usize] += 1;
        if ran.is_undecided {
            self.undecided.insert(ran.inst);
        }
        if ran.is_assumed {
            self.slow_paths.insert(ran.inst);
        }
        let access = self.requests.access(run, arch, warp, &ran, at as u64, Timing::Wanted);
        let mut access = access.map(Box::new);
        if let Some(access) = &mut access {
            access.block = self.blocks[at / shares.per_block as usize].unwrap_or_default();
        }
        let asynchronous = warp.take_asynchronous();
        let is_transfer = access.as_ref().is_some_and(|access| access.transfer.is_some());
        if matches!(asynchronous, Some(Asynchronous::Unknown))
            || matches!(asynchronous, Some(Asynchronous::Transfer(_))) && !is_transfer
        {
            self.unknown_asynchronous.insert(ran.inst);
        }
        let mut next = warp.next();
        let mut passed = Vec::new();
        if self.period > 0 {
            if let Some(head) = next.filter(|&next| ran.jumps && next <= inst) {
                if self.is_passed(at, inst) {
                    passed = self.pass_over(at, head, inst);
                    next = self.warps[at].as_ref().and_then(Warp::next);
                }
            } else {
                // The loop ends if its branch does not jump back.
                self.passes[at].forget(inst);
            }
        }
        RouteStep {
            next: next.map(|next| (next, ran.jumps)),
            is_off: ran.active == 0,
            access,
            asynchronous,
            passed,
        }
    }

    fn begin(&mut self, at: usize) -> Option<u32> {
        let per_block = self.look.shares.per_block as usize;
        let (slot, number) = (at / per_block, (at % per_block) as u32);
        if self.blocks.len() <= slot {
            self.blocks.resize(slot + 1, None);
            self.words.resize_with(slot + 1, SharedWords::default);
        }
        if number == 0 {
            self.blocks[slot] = self.look.shares.block(self.begun);
            self.begun += 1;
            self.words[slot] = SharedWords::default();
        }
        let block = self.blocks[slot]?;
        let warp = self.look.warp(block, number).sharing(&self.words[slot]);
        let first = warp.next();
        if self.warps.len() <= at {
            self.warps.resize_with(at + 1, || None);
            self.passes.resize_with(at + 1, LoopIterations::default);
        }
        self.warps[at] = Some(warp);
        self.passes[at].0.clear();
        first
    }
}
