//! Natural loops and their nesting.

use super::dominators::spans;
use super::{BlockId, DominatorTree, FlowGraph};
use syntax::stop;

/// The loops of a graph: each has one header, which dominates all of its blocks.
#[derive(Debug)]
pub(crate) struct LoopForest {
    /// Header of the innermost loop that contains each block; a header maps to itself.
    header: Vec<Option<BlockId>>,
    depth: Vec<u32>,
    /// Entry and exit times of a walk over the loop tree, by header.
    span: Vec<(u32, u32)>,
}

impl LoopForest {
    /// Finds the loops among the blocks reachable from the tree's root, inner loops first. Each loop is
    /// collapsed into one block of the enclosing loop: Tarjan, "Testing Flow Graph Reducibility" (1974). Time
    /// is almost linear.
    pub(crate) fn find(graph: &FlowGraph, dominators: &DominatorTree) -> Self {
        let count = graph.len();
        let backs = |header: BlockId| {
            let before = graph.predecessors(header).iter().copied();
            before.filter(move |&from| dominators.dominates(header, from))
        };
        let mut headers: Vec<BlockId> =
            graph.blocks().filter(|&block| backs(block).next().is_some()).collect();
        headers.sort_unstable_by_key(|&header| dominators.span(header).0);
        let mut representative: Vec<BlockId> = graph.blocks().collect();
        // Header of the loop around each block; for a header, of the loop around its own loop.
        let mut around: Vec<Option<BlockId>> = vec![None; count];
        for (step, &header) in headers.iter().enumerate().rev() {
            stop::check_at(step);
            let mut open: Vec<BlockId> = backs(header).map(|from| root(&mut representative, from)).collect();
            while let Some(block) = open.pop() {
                if block == header || representative[block as usize] != block {
                    continue;
                }
                representative[block as usize] = header;
                around[block as usize] = Some(header);
                // Unreachable blocks may lead into several loops and belong to none of them.
                let before = graph.predecessors(block).iter().copied();
                let within = before.filter(|&from| dominators.dominates(header, from));
                open.extend(within.map(|from| root(&mut representative, from)));
            }
        }
        let mut depth_of = vec![0_u32; count];
        let mut outer: Vec<BlockId> = graph.blocks().collect();
        for &header in &headers {
            let own = around[header as usize];
            depth_of[header as usize] = 1 + own.map_or(0, |around| depth_of[around as usize]);
            outer[header as usize] = own.unwrap_or(header);
            around[header as usize] = Some(header);
        }
        let depth =
            around.iter().map(|header| header.map_or(0, |header| depth_of[header as usize])).collect();
        Self { header: around, depth, span: spans(&outer) }
    }

    /// Returns the dominators and the loops of a graph whose entries are `roots`. The dominator tree has one
    /// additional block, numbered last, as its root. The root leads to every block of `roots`.
    pub(crate) fn from_roots(graph: &FlowGraph, roots: &[BlockId]) -> (DominatorTree, Self) {
        let rooted = graph.with_root(roots);
        let dominators = DominatorTree::compute(&rooted, graph.len() as BlockId);
        let loops = Self::find(&rooted, &dominators);
        (dominators, loops)
    }

    /// Returns the header of the innermost loop around a block; `None` outside loops.
    pub(crate) fn header(&self, block: BlockId) -> Option<BlockId> {
        self.header[block as usize]
    }

    /// Returns the number of loops around a block.
    pub(crate) fn depth(&self, block: BlockId) -> u32 {
        self.depth[block as usize]
    }

    /// True if a block is in the loop with the given header.
    pub(crate) fn contains(&self, header: BlockId, block: BlockId) -> bool {
        let (from, to) = self.span[header as usize];
        self.header[block as usize]
            .is_some_and(|own| own == header || (from..to).contains(&self.span[own as usize].0))
    }
}

/// Finds the current representative of a block, with path compression.
fn root(representative: &mut [BlockId], block: BlockId) -> BlockId {
    let mut at = block;
    while representative[at as usize] != at {
        let next = representative[at as usize];
        representative[at as usize] = representative[next as usize];
        at = next;
    }
    at
}
