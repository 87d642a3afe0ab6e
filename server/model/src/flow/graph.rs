//! The control-flow graph, which implements the traits that petgraph's algorithms require.

use super::BlockId;
use fixedbitset::FixedBitSet;
use petgraph::visit::{
    Dfs, DfsPostOrder, GraphBase, IntoNeighbors, IntoNeighborsDirected, IntoNodeIdentifiers, NodeCount,
    NodeIndexable, VisitMap, Visitable,
};
use std::iter::Copied;
use std::ops::Range;
use std::slice::Iter;

/// A control-flow graph: the successors and predecessors of each block.
///
/// Blocks are numbered from 0, in text order. Memory is linear in blocks and edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowGraph {
    successors: Rows,
    predecessors: Rows,
}

/// The direction in which a graph is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From blocks to their successors.
    Forward,
    /// From blocks to their predecessors.
    Backward,
}

/// Adjacency lists, stored as compressed sparse rows.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rows {
    /// The start of each block's list, and the end of the last list.
    starts: Vec<u32>,
    neighbours: Vec<BlockId>,
}

impl Rows {
    fn row(&self, block: BlockId) -> &[BlockId] {
        let block = block as usize;
        &self.neighbours[self.starts[block] as usize..self.starts[block + 1] as usize]
    }

    /// The edges of `self`, reversed; each list is in ascending order.
    fn turned(&self) -> Self {
        let count = self.starts.len() - 1;
        let mut starts = vec![0_u32; count + 1];
        for &to in &self.neighbours {
            starts[to as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; self.neighbours.len()];
        for from in 0..count as BlockId {
            for &to in self.row(from) {
                neighbours[next[to as usize] as usize] = from;
                next[to as usize] += 1;
            }
        }
        Self { starts, neighbours }
    }
}

impl FlowGraph {
    /// Builds the graph from the successors of each block. Successors keep their order; predecessors are in
    /// ascending order.
    pub fn new<S: AsRef<[BlockId]>>(successors: impl IntoIterator<Item = S>) -> Self {
        let mut rows = Rows { starts: vec![0], neighbours: Vec::new() };
        for own in successors {
            rows.neighbours.extend_from_slice(own.as_ref());
            rows.starts.push(rows.neighbours.len() as u32);
        }
        Self { predecessors: rows.turned(), successors: rows }
    }

    /// Returns the number of blocks.
    pub fn len(&self) -> usize {
        self.successors.starts.len() - 1
    }

    /// True if the graph has no blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All blocks, in text order.
    pub fn blocks(&self) -> Range<BlockId> {
        0..self.len() as BlockId
    }

    /// Returns the successors of a block.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        self.successors.row(block)
    }

    /// Returns the predecessors of a block, in ascending order.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        self.predecessors.row(block)
    }

    /// Returns the successors or the predecessors of a block.
    pub fn neighbours(&self, block: BlockId, direction: Direction) -> &[BlockId] {
        match direction {
            Direction::Forward => self.successors(block),
            Direction::Backward => self.predecessors(block),
        }
    }

    /// All edges as (from, to), grouped by source block.
    pub fn edges(&self) -> impl Iterator<Item = (BlockId, BlockId)> {
        self.blocks().flat_map(|from| self.successors(from).iter().map(move |&to| (from, to)))
    }

    /// Returns the graph with all edges reversed.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { successors: self.predecessors, predecessors: self.successors }
    }

    /// Returns the graph with one more block, numbered last, which leads to each of `entries`.
    #[must_use]
    pub fn with_root(&self, entries: &[BlockId]) -> Self {
        Self::new(self.blocks().map(|block| self.successors(block)).chain([entries]))
    }

    /// Returns the blocks reachable from the given blocks, including the given blocks.
    pub fn reached(&self, from: impl IntoIterator<Item = BlockId>) -> FixedBitSet {
        let mut search = Dfs::empty(self);
        for block in from {
            search.move_to(block);
            while search.next(self).is_some() {
                syntax::stop::check();
            }
        }
        search.discovered
    }

    /// Visits the blocks reachable from the neighbours of `from`, each block once. The search continues past
    /// a block if `goes_on` returns true for it. The block `from` itself is visited if a path leads back to
    /// it.
    pub fn search(&self, from: BlockId, direction: Direction, mut goes_on: impl FnMut(BlockId) -> bool) {
        let mut seen = FixedBitSet::with_capacity(self.len());
        let mut open = self.neighbours(from, direction).to_vec();
        while let Some(block) = open.pop() {
            syntax::stop::check();
            if seen.visit(block) && goes_on(block) {
                open.extend_from_slice(self.neighbours(block, direction));
            }
        }
    }

    /// Returns all blocks in reverse postorder, and the blocks at which a walk started. Walks start at each
    /// of `entries`, then at the blocks that are not reachable from `entries`.
    pub(crate) fn reverse_postorder(
        &self,
        entries: impl IntoIterator<Item = BlockId>,
    ) -> (Vec<BlockId>, Vec<BlockId>) {
        let mut order = Vec::with_capacity(self.len());
        let mut roots = Vec::new();
        let mut walk = DfsPostOrder::empty(self);
        for entry in entries.into_iter().chain(self.blocks()) {
            if walk.discovered.is_visited(&entry) {
                continue;
            }
            roots.push(entry);
            walk.move_to(entry);
            while let Some(block) = walk.next(self) {
                order.push(block);
            }
        }
        order.reverse();
        (order, roots)
    }
}

impl GraphBase for FlowGraph {
    type NodeId = BlockId;
    type EdgeId = (BlockId, BlockId);
}

impl<'a> IntoNeighbors for &'a FlowGraph {
    type Neighbors = Copied<Iter<'a, BlockId>>;

    fn neighbors(self, block: BlockId) -> Self::Neighbors {
        self.successors(block).iter().copied()
    }
}

impl<'a> IntoNeighborsDirected for &'a FlowGraph {
    type NeighborsDirected = Copied<Iter<'a, BlockId>>;

    fn neighbors_directed(self, block: BlockId, direction: petgraph::Direction) -> Self::NeighborsDirected {
        match direction {
            petgraph::Direction::Outgoing => self.successors(block).iter().copied(),
            petgraph::Direction::Incoming => self.predecessors(block).iter().copied(),
        }
    }
}

impl IntoNodeIdentifiers for &FlowGraph {
    type NodeIdentifiers = Range<BlockId>;

    fn node_identifiers(self) -> Self::NodeIdentifiers {
        self.blocks()
    }
}

impl NodeCount for FlowGraph {
    fn node_count(&self) -> usize {
        self.len()
    }
}

impl NodeIndexable for FlowGraph {
    fn node_bound(&self) -> usize {
        self.len()
    }

    fn to_index(&self, block: BlockId) -> usize {
        block as usize
    }

    fn from_index(&self, index: usize) -> BlockId {
        index as BlockId
    }
}

impl Visitable for FlowGraph {
    type Map = FixedBitSet;

    fn visit_map(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.len())
    }

    fn reset_map(&self, map: &mut FixedBitSet) {
        map.clear();
        map.grow(self.len());
    }
}
