//! The dominator tree of a flow graph, with dominance queries in constant time.

use super::{BlockId, FlowGraph};
use petgraph::algo::dominators::simple_fast;
use std::slice;

/// The dominator tree of a graph: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), from
/// petgraph.
///
/// The dominator tree of a reversed graph is the post-dominator tree.
#[derive(Debug)]
pub(crate) struct DominatorTree {
    /// Immediate dominator of each block; the block itself for the root and for unreachable blocks.
    parent: Vec<BlockId>,
    /// Entry and exit times of each block in a depth-first walk over the tree.
    span: Vec<(u32, u32)>,
    /// Skip pointers to ancestors, so that a climb takes a logarithmic number of steps: Myers, "An
    /// Applicative Random-Access Stack" (1983).
    jump: Vec<BlockId>,
}

impl DominatorTree {
    /// Returns the dominator tree of the blocks reachable from `root`.
    pub(crate) fn compute(graph: &FlowGraph, root: BlockId) -> Self {
        let dominators = simple_fast(graph, root);
        let above = |block| dominators.immediate_dominator(block).unwrap_or(block);
        let parent: Vec<BlockId> = graph.blocks().map(above).collect();
        let span = spans(&parent);
        let jump = jumps(&parent, &span);
        Self { parent, span, jump }
    }

    /// Returns the immediate dominator of a block; `None` for the root and for unreachable blocks.
    pub(crate) fn parent(&self, block: BlockId) -> Option<BlockId> {
        Some(self.parent[block as usize]).filter(|&parent| parent != block)
    }

    /// True if every path from the root to `block` passes through `above`; a block dominates itself.
    pub(crate) fn dominates(&self, above: BlockId, block: BlockId) -> bool {
        let (Some(&(from, to)), Some(&(at, _))) =
            (self.span.get(above as usize), self.span.get(block as usize))
        else {
            return false;
        };
        from <= at && at < to
    }

    /// Returns a block's entry and exit times in a depth-first walk over the tree. The interval encloses the
    /// intervals of dominated blocks.
    pub(crate) fn span(&self, block: BlockId) -> (u32, u32) {
        self.span.get(block as usize).copied().unwrap_or_default()
    }

    /// Returns the nearest block that dominates both given blocks.
    pub(crate) fn nearest_common(&self, one: BlockId, other: BlockId) -> BlockId {
        let mut at = one;
        while !self.dominates(at, other) {
            let (far, up) = (self.jump[at as usize], self.parent[at as usize]);
            if up == at {
                return at;
            }
            at = if self.dominates(far, other) { up } else { far };
        }
        at
    }
}

/// Entry and exit times of a depth-first walk over a forest, given each node's parent. A root is its own parent.
pub(super) fn spans(parent: &[BlockId]) -> Vec<(u32, u32)> {
    let tree = FlowGraph::new((0..).zip(parent).map(|(block, up)| match slice::from_ref(up) {
        root if root == [block] => &[],
        up => up,
    }));
    let mut span = vec![(0, 0); parent.len()];
    let mut clock = 0;
    for root in tree.blocks().filter(|&block| parent[block as usize] == block) {
        let mut open = vec![(root, 0_usize)];
        while let Some((block, next)) = open.pop() {
            if next == 0 {
                span[block as usize].0 = clock;
                clock += 1;
            }
            match tree.predecessors(block).get(next) {
                Some(&child) => open.extend([(block, next + 1), (child, 0)]),
                None => span[block as usize].1 = clock,
            }
        }
    }
    span
}

fn jumps(parent: &[BlockId], span: &[(u32, u32)]) -> Vec<BlockId> {
    let mut order: Vec<BlockId> = (0..parent.len() as BlockId).collect();
    order.sort_unstable_by_key(|&block| span[block as usize].0);
    let mut jump: Vec<BlockId> = (0..parent.len() as BlockId).collect();
    let mut level = vec![0_u32; parent.len()];
    for block in order {
        let up = parent[block as usize];
        if up == block {
            continue;
        }
        level[block as usize] = level[up as usize] + 1;
        let far = jump[up as usize];
        let further = jump[far as usize];
        let is_even =
            level[up as usize] - level[far as usize] == level[far as usize] - level[further as usize];
        jump[block as usize] = if is_even { further } else { up };
    }
    jump
}
