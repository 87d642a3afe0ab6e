//! Loops: cycles per iteration, the limiting pipe, and the number of warps that hide the latency.

use super::path::{Branch, Path};
use super::views::{Pipe, PipePressure};
use super::{Code, Issue, View, simulate};
use crate::Program;
use machine::Flow;
use rustc_hash::FxHashMap;

/// Number of untimed iterations that fill queues and scoreboards. [`COUNTED`] timed iterations follow.
const WARM: u32 = 8; // limit: time
const COUNTED: u32 = 8; // limit: time

/// Times of a loop whose body is one basic block or several consecutive basic blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopTime {
    /// First instruction of the body; `branch` leads back to it.
    pub start: u32,
    pub branch: u32,
    /// Cycles per iteration of a single warp, once the loop is in its steady state.
    pub cycles_per_trip: f64,
    /// The pipe that limits the loop once enough warps run to hide all latencies.
    pub limiter: Pipe,
    /// Cycles of the limiting pipe per iteration of a warp. This is a lower bound on the mean iteration time
    /// with any number of warps.
    pub limiter_cycles: f64,
    /// Number of warps per SM that keep the limiting pipe busy; `None` if an SM cannot hold this number of warps.
    pub warps_to_hide: Option<u32>,
}

/// Computes the times of the innermost loops, in text order. Exits other than the branch at a loop's end are assumed
/// not to be taken. Loops with a call or an indirect branch in their body are omitted.
pub fn loop_times(code: &Code, program: &Program) -> Vec<LoopTime> {
    let mut found = Vec::new();
    for (at, inst) in (0_u32..).zip(&program.instructions) {
        let Some(start) = inst.target.filter(|&target| inst.flow == Flow::Branch && target <= at) else {
            continue;
        };
        // An endless loop of one branch ends many listings.
        let is_body = start < at && (start..at).all(|inner| leads_on(program, inner, start, at));
        if is_body && let Some(time) = time(code, program, start, at) {
            found.push(time);
        }
    }
    found
}

/// True if control is assumed to continue from an instruction of a loop's body to the next instruction. Guarded `EXIT`s,
/// and guarded branches that lead forward or out of the loop, are assumed not taken. False for backward branches within
/// the loop, unguarded branches and calls.
fn leads_on(program: &Program, inner: u32, start: u32, end: u32) -> bool {
    let inst = &program.instructions[inner as usize];
    match inst.flow {
        Flow::Next | Flow::Barrier => true,
        Flow::Branch => {
            inst.guard.is_some() && inst.target.is_some_and(|to| to > inner || to < start || to > end)
        }
        Flow::Exit => inst.guard.is_some(),
        Flow::Call | Flow::IndirectBranch => false,
    }
}

fn time(code: &Code, program: &Program, start: u32, branch: u32) -> Option<LoopTime> {
    let mut branches = FxHashMap::default();
    branches.insert(branch, Branch { target: start, times: None });
    let path = Path { start, end: branch, rounds: WARM + COUNTED, branches };
    let mut view = (Trips { branch, cycles: Vec::new() }, PipePressure::new(code));
    let most = u64::from(branch - start + 1) * u64::from(WARM + COUNTED);
    simulate(code, &path, 1, most, &mut view).ok()?;
    let (trips, pressure) = view;
    let ends = trips.cycles;
    let (first, last) = (ends.get(WARM as usize - 1)?, ends.last()?);
    let cycles_per_trip = (last - first) as f64 / f64::from(COUNTED);
    let sub_cores = code.figures.sub_cores() as u64;
    let trips = f64::from(WARM + COUNTED);
    // A warp uses the pipes of its own sub-core; all warps share those of the SM.
    let per_warp = |(pipe, busy): (Pipe, u64)| {
        let share = if pipe.is_of_sm() { sub_cores } else { 1 };
        (pipe, busy as f64 / trips, busy as f64 / trips * share as f64)
    };
    let (limiter, limiter_cycles, pressing) =
        pressure.busy().map(per_warp).max_by(|one, other| one.2.total_cmp(&other.2))?;
    let per_sub_core = (cycles_per_trip / pressing.max(1.0)).ceil().max(1.0);
    let warps = per_sub_core as u32 * sub_cores as u32;
    let most = program.arch.resources.max_warps.value;
    Some(LoopTime {
        start,
        branch,
        cycles_per_trip,
        limiter,
        limiter_cycles,
        warps_to_hide: (warps <= most).then_some(warps),
    })
}

/// Records the cycles in which a branch issues.
struct Trips {
    branch: u32,
    cycles: Vec<u64>,
}

impl View for Trips {
    fn issued(&mut self, issue: &Issue) -> bool {
        if issue.inst == self.branch {
            self.cycles.push(issue.cycle);
        }
        true
    }
}
