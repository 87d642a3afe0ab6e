//! Dataflow analysis with a worklist: Kildall, "A Unified Approach to Global Program Optimization" (1973).

use super::{BlockId, Direction, FlowGraph};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;

/// A dataflow problem: the transfer function of a block, and the join of states from several paths.
pub trait Analysis {
    /// State at a block's entry: the block's start, or the block's end for a backward problem.
    type State;

    /// Applies the transfer function of a block, and stores the resulting state for [`Self::join`].
    fn transfer(&mut self, block: BlockId, state: &Self::State);

    /// Joins the state that leaves `from`, the block transferred last, into the state of its neighbour `to`.
    /// Returns true if the state of `to` has changed.
    fn join(&mut self, from: BlockId, to: BlockId, state: &mut Self::State) -> bool;
}

/// Propagates states between blocks until a fixed point. `states` holds the initial state of each block. Every block is
/// visited at least once.
pub fn solve<A: Analysis>(
    graph: &FlowGraph,
    direction: Direction,
    analysis: &mut A,
    states: &mut [A::State],
) {
    // Text order is close to reverse postorder. A backward problem visits the blocks in the opposite order.
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

/// Adds the bits of another set. Returns true if any bit is new.
pub fn unite(set: &mut FixedBitSet, other: &FixedBitSet) -> bool {
    let is_new = !other.is_subset(set);
    if is_new {
        set.union_with(other);
    }
    is_new
}
