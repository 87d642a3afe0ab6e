//! The control-flow path between two instructions, derived from the code.

use super::path::{Branch, Path};
use crate::Program;
use machine::Flow;
use rustc_hash::FxHashMap;
use thiserror::Error;

/// A path, and the assumptions made for it.
#[derive(Debug, Clone)]
pub struct InstructionPath {
    pub path: Path,
    /// Guarded forward branches that are assumed not taken.
    pub not_taken: Vec<u32>,
}

/// Reason why no path between two instructions is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoPath {
    #[error("the trip count of the loop that ends at {address:#06x} is unknown")]
    Trips { address: u32 },
    #[error("the target of the branch at {address:#06x} is unknown")]
    Indirect { address: u32 },
    #[error("no path leads from {from:#06x} to {to:#06x}")]
    NotReached { from: u32, to: u32 },
}

impl InstructionPath {
    /// Finds the path to `last`. The path starts at the last barrier before `first`, or at `first` if there is
    /// no barrier or if that barrier does not lead to `first` and `last`. `trips` returns the number of times
    /// that a backward branch is reached.
    ///
    /// If the path lies in a loop, the path has two rounds, because scoreboards of the preceding iteration may
    /// still be pending.
    pub fn between(
        program: &Program,
        trips: impl Fn(u32) -> Option<u32>,
        first: u32,
        last: u32,
    ) -> Result<Self, NoPath> {
        let is_barrier = |at: &u32| program.instructions[*at as usize].flow == Flow::Barrier;
        let start = (0..first).rev().find(is_barrier);
        // A barrier on one side of a branch may not lead to `last`.
        let with_barrier = start.and_then(|start| {
            let way = walk(program, &trips, start, last).ok()?;
            way.seen[first as usize].then_some((start, way))
        });
        let (start, walked) = match with_barrier {
            Some(found) => found,
            None => (first, walk(program, &trips, first, last)?),
        };
        let mut path = Path { start, end: last, rounds: 1, branches: walked.branches };
        if let Some((outer, target, branches)) = round(program, &trips, start, last) {
            path.branches.extend(branches);
            path.branches.insert(outer, Branch { target, times: None });
            path.rounds = 2;
        }
        Ok(Self { path, not_taken: walked.not_taken })
    }
}

struct WalkedPath {
    branches: FxHashMap<u32, Branch>,
    not_taken: Vec<u32>,
    seen: Vec<bool>,
}

/// Follows the code until `last`. Walks each loop body once.
fn walk(
    program: &Program,
    trips: &impl Fn(u32) -> Option<u32>,
    from: u32,
    last: u32,
) -> Result<WalkedPath, NoPath> {
    let insts = &program.instructions;
    let address = |at: u32| insts.get(at as usize).map_or(0, |inst| inst.address);
    let not_reached = NoPath::NotReached { from: address(from), to: address(last) };
    let mut walked =
        WalkedPath { branches: FxHashMap::default(), not_taken: Vec::new(), seen: vec![false; insts.len()] };
    let mut at = from;
    loop {
        let Some(inst) = insts.get(at as usize).filter(|_| !walked.seen[at as usize]) else {
            return Err(not_reached);
        };
        walked.seen[at as usize] = true;
        if at == last {
            return Ok(walked);
        }
        let mut next = at + 1;
        match (inst.flow, inst.target) {
            (Flow::Next | Flow::Barrier, _) => {}
            (Flow::Branch, Some(target)) if target <= at => {
                let times = trips(at).ok_or(NoPath::Trips { address: inst.address })?.saturating_sub(1);
                walked.branches.insert(at, Branch { target, times: Some(times) });
            }
            (Flow::Branch, Some(target)) if inst.guard.is_none() => {
                walked.branches.insert(at, Branch { target, times: None });
                next = target;
            }
            (Flow::Branch, Some(_)) => walked.not_taken.push(at),
            (Flow::Exit, _) if inst.guard.is_some() => {}
            (Flow::Exit, _) => return Err(not_reached),
            _ => return Err(NoPath::Indirect { address: inst.address }),
        }
        at = next;
    }
}

/// Returns the branch after `last` that leads back to the start, its target, and the branches on the way back. `None`
/// if there is no such branch, or if `last` is in a loop that starts after `start`, because the path repeats that loop
/// anyway.
fn round(
    program: &Program,
    trips: &impl Fn(u32) -> Option<u32>,
    start: u32,
    last: u32,
) -> Option<(u32, u32, FxHashMap<u32, Branch>)> {
    let outer = around(program, start, last)?;
    let target = program.instructions[outer as usize].target?;
    let mut branches = walk(program, trips, last + 1, outer).ok()?.branches;
    if branches.values().any(|branch| (start + 1..=last).contains(&branch.target)) {
        return None;
    }
    branches.extend(walk(program, trips, target, start).ok()?.branches);
    Some((outer, target, branches))
}

/// Returns the first branch after `last` that targets `start` or earlier.
fn around(program: &Program, start: u32, last: u32) -> Option<u32> {
    let following = (last + 1..program.instructions.len() as u32).take_while(|&at| {
        let inst = &program.instructions[at as usize];
        inst.flow != Flow::Exit || inst.guard.is_some()
    });
    let mut following = following;
    following.find(|&at| {
        let inst = &program.instructions[at as usize];
        inst.flow == Flow::Branch && inst.target.is_some_and(|target| target <= start)
    })
}
