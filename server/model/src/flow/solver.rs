//! Dataflow analysis by a work list: Kildall, "A Unified Approach to Global Program Optimization" (1973).

use super::{BlockId, Direction, FlowGraph};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;

/// A dataflow problem: the transfer function of a block, and the join of states from several paths.
pub trait Analysis {
    /// State at a block's entry in the direction of the analysis: its start, or its end for a backward problem.
    type State;

    /// Carries the state through a block and keeps what leaves it.
    fn transfer(&mut self, block: BlockId, state: &Self::State);

    /// Joins what has left `from`, which was just carried through, into the state of its neighbour `to`. Returns true if
    /// that has changed.
    fn join(&mut self, from: BlockId, to: BlockId, state: &mut Self::State) -> bool;
}

/// Carries states from block to block until none changes. `states` holds what is known at each block beforehand; every
/// block is visited at least once.
pub fn solve<A: Analysis>(
    graph: &FlowGraph,
    direction: Direction,
    analysis: &mut A,
    states: &mut [A::State],
) {
    // In text order, which is near reverse postorder, and against it where the problem goes backward.
    let mut waiting: BTreeSet<BlockId> = graph.blocks().collect();
    let next = |waiting: &mut BTreeSet<BlockId>| match direction {
        Direction::Forward => waiting.pop_first(),
        Direction::Backward => waiting.pop_last(),
    };
    while let Some(block) = next(&mut waiting) {
        syntax::stop::check();
        analysis.transfer(block, &states[block as usize]);
        for &neighbour in graph.neighbours(block, direction) {
            if analysis.join(block, neighbour, &mut states[neighbour as usize]) {
                waiting.insert(neighbour);
            }
        }
    }
}

/// Adds the bits of another set. Returns true if any of them is new.
pub fn unite(set: &mut FixedBitSet, other: &FixedBitSet) -> bool {
    let is_new = !other.is_subset(set);
    if is_new {
        set.union_with(other);
    }
    is_new
}
