//! What a block costs, by the issue simulation: one warp alone, caches warm.

use crate::Program;
use crate::pipeline::{Branch, Code, Issue, Path, View, simulate};
use rustc_hash::FxHashMap;

/// Passes of a loop that are simulated, to see what one pass carries into the next.
const PASSES: u32 = 4;

/// Cycles through each block, from its first issue to the last of the block behind it: what a block leaves under way is
/// waited for there. A block that leads to itself is passed some times.
pub(super) fn block_cycles(code: &Code, program: &Program) -> Vec<u32> {
    let blocks = &program.blocks;
    let mut cycles = Vec::with_capacity(blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        let last = block.instructions.end - 1;
        let mut path =
            Path { start: block.instructions.start, end: last, rounds: 1, branches: FxHashMap::default() };
        if block.successors.contains(&(index as u32)) {
            path.rounds = PASSES;
            path.branches.insert(last, Branch { target: block.instructions.start, times: None });
        } else if block.successors.contains(&(index as u32 + 1)) {
            path.end = blocks[index + 1].instructions.end - 1;
        }
        let mut span = Span::default();
        let most = u64::from(PASSES) * 2 * program.instructions.len() as u64 + 2;
        // What ends too early is as long as it got.
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
