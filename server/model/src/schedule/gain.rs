//! Cost of a block by the issue simulation, for a single warp with warm caches.

use super::flow::depth;
use super::plan::plain;
use crate::address::{Addresses, WarpThreads};
use crate::pipeline::{Branch, Code, Issue, Path, View, simulate};
use crate::{Chunk, Control, Program};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Number of simulated iterations of a loop, so that loop-carried delays are visible.
const PASSES: u32 = 4; // limit: time

/// Factor by which a block's weight grows per enclosing loop.
const PASSES_OF_A_LOOP: u64 = 8; // limit: a convention
/// Maximum loop depth that increases a block's weight.
const MAX_LOOPS: u32 = 6; // limit: weights must not overflow
/// Width of the one-dimensional block whose first warp's addresses are examined.
const MAX_LANES: u32 = 1024; // limit: the largest block

/// Estimates the cost of codes, if the architecture's simulation is calibrated.
pub(super) struct CostEstimator<'a> {
    chunk: &'a Chunk,
    program: &'a Program,
    code: OnceCell<Option<Code>>,
}

impl<'a> CostEstimator<'a> {
    pub(super) fn new(chunk: &'a Chunk, program: &'a Program) -> Self {
        Self { chunk, program, code: OnceCell::new() }
    }

    fn code(&self) -> Option<&Code> {
        let make = || {
            let mut program = self.program.clone();
            for inst in &mut program.instructions {
                inst.control = Some(plain());
            }
            program.arch.pipeline.as_ref()?;
            let addresses = Addresses::compute(self.chunk, self.program);
            let lanes = WarpThreads::first([MAX_LANES, 1, 1]);
            let requests =
                |inst| addresses.lines(inst, &lanes).or_else(|| addresses.wavefronts(inst, &lanes));
            Code::new(self.chunk, &program, requests)
        };
        self.code.get_or_init(make).as_ref()
    }

    /// Returns the cycles through each block with these codes; `None` if the architecture's simulation is not
    /// calibrated.
    pub(super) fn cycles(&self, order: &[u32], controls: &[Control]) -> Option<Vec<u32>> {
        Some(block_cycles(&self.code()?.arranged(order, controls), self.program))
    }

    /// Sums the cycles of all blocks, each weighted by an estimate of its iterations from its loop depth.
    pub(super) fn sum(&self, cycles: &[u32]) -> u64 {
        let weight = |depth: u32| PASSES_OF_A_LOOP.pow(depth.min(MAX_LOOPS));
        cycles.iter().zip(depth(self.program)).map(|(&cycles, depth)| u64::from(cycles) * weight(depth)).sum()
    }

    /// Returns [`Self::sum`] of the cycles with these codes; 0 if the architecture's simulation is not
    /// calibrated.
    pub(super) fn cost(&self, order: &[u32], controls: &[Control]) -> u64 {
        self.cycles(order, controls).map_or(0, |cycles| self.sum(&cycles))
    }
}

/// Returns the cycles through each block, from its first issue to the last issue of the next block. The next block
/// waits for results that the block leaves in flight. A block that leads to itself is executed several times.
fn block_cycles(code: &Code, program: &Program) -> Vec<u32> {
    let blocks = &program.blocks;
    let mut cycles = Vec::with_capacity(blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        let last = block.instructions.end - 1;
        let mut path =
            Path { start: block.instructions.start, end: last, rounds: 1, branches: FxHashMap::default() };
        let next = program.flow.successors(index as u32);
        if next.contains(&(index as u32)) {
            path.rounds = PASSES;
            path.branches.insert(last, Branch { target: block.instructions.start, times: None });
        } else if next.contains(&(index as u32 + 1)) {
            path.end = blocks[index + 1].instructions.end - 1;
        }
        let mut span = Span::default();
        let most = u64::from(PASSES) * 2 * program.instructions.len() as u64 + 2;
        // A simulation that ends early counts up to its last issue.
        let _ = simulate(code, &path, 1, most, &mut span);
        cycles.push(u32::try_from(span.last - span.first.unwrap_or(span.last)).unwrap_or(u32::MAX));
    }
    cycles
}

#[derive(Default)]
struct Span {
    first: Option<u64>,
    last: u64,
}

impl View for Span {
    fn issued(&mut self, issue: &Issue) -> bool {
        self.first.get_or_insert(issue.cycle);
        self.last = issue.cycle;
        true
    }
}
