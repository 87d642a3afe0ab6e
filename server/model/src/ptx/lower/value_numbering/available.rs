//! Finds an available node that computes the same value, for the block that needs the result.

use super::super::graph::Graph;
use super::super::ir::{BlockId, NOWHERE, NodeId};
use std::collections::BTreeMap;

/// Nodes that compute the same value, in the order of their creation.
#[derive(Debug, Default)]
pub(super) struct AvailableNodes {
    /// The oldest node outside all blocks, with its age.
    nowhere: Option<(u32, NodeId)>,
    /// Entries by the position of their block in a depth-first walk over the dominator tree.
    placed: BTreeMap<u32, Entry>,
    count: u32,
}

/// The oldest node in one block.
#[derive(Debug)]
struct Entry {
    /// Position at which the depth-first walk leaves the block.
    end: u32,
    age: u32,
    node: NodeId,
    /// Position of the nearest other entry whose block dominates the block of this entry.
    above: Option<u32>,
}

impl AvailableNodes {
    /// Returns the oldest node that precedes the end of a block on every path to the block; `None` if no node
    /// does.
    pub(super) fn oldest_above(&self, graph: &Graph, block: BlockId) -> Option<NodeId> {
        let nearest = match block {
            NOWHERE => None,
            block => self.above(graph.dominators.span(block)),
        };
        let above = nearest.into_iter().flat_map(|nearest| self.upward(nearest));
        let placed = above.map(|(_, entry)| (entry.age, entry.node));
        placed.chain(self.nowhere).min().map(|(_, node)| node)
    }

    pub(super) fn add(&mut self, graph: &Graph, block: BlockId, node: NodeId) {
        let age = self.count;
        self.count += 1;
        if block == NOWHERE {
            self.nowhere.get_or_insert((age, node));
            return;
        }
        let (from, end) = graph.dominators.span(block);
        if self.placed.contains_key(&from) {
            return;
        }
        let above = self.above((from, end));
        // Entries below with the same dominating entry are now dominated by the new entry.
        let mut at = from;
        while let Some((&place, entry)) = self.placed.range_mut(at..end).next() {
            at = entry.end.max(place + 1);
            entry.above = Some(from);
        }
        self.placed.insert(from, Entry { end, age, node, above });
    }

    /// Returns the position of the nearest entry whose block dominates the block with this span.
    fn above(&self, (from, to): (u32, u32)) -> Option<u32> {
        let (&before, _) = self.placed.range(..=from).next_back()?;
        self.upward(before).find(|(_, entry)| to <= entry.end).map(|(place, _)| place)
    }

    /// Iterates over an entry and the entries that dominate it.
    fn upward(&self, place: u32) -> impl Iterator<Item = (u32, &Entry)> {
        let entry = |place: u32| self.placed.get(&place).map(|entry| (place, entry));
        std::iter::successors(entry(place), move |(_, below)| below.above.and_then(entry))
    }
}
