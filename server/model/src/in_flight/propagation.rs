//! Propagates accesses in flight along the control-flow graph: accesses in flight at the end of a block are in
//! flight at the start of its successors.

use super::Event;
use crate::flow::{Analysis, BlockId, Direction, FlowGraph, solve};
use std::borrow::Cow;
use std::cmp::Ordering;

/// An access in flight at the boundary of a block.
pub(crate) trait InFlight: Copy + PartialEq {
    /// Returns the register's number and the event that ends the access.
    fn key(&self) -> (u32, Event);

    /// Joins an access with its state on another path. Keeps the facts that are certain on both paths.
    fn join(&self, other: &Self) -> Self;
}

/// A walk through blocks that tracks accesses in flight.
pub(crate) trait Walker {
    type InFlight: InFlight;

    /// Walks a block with the given accesses in flight at its start.
    fn pass(&mut self, block: BlockId, start: &[Self::InFlight]);

    /// Returns the accesses in flight on the edge from the block walked last to another block, sorted by
    /// [`InFlight::key`].
    fn leaving(&self, from: BlockId, to: BlockId) -> Cow<'_, [Self::InFlight]>;
}

/// Follows every path through a graph. Joins the accesses in flight at each block's start into `starts`.
pub(crate) fn follow<W: Walker>(graph: &FlowGraph, walker: &mut W, starts: &mut [Vec<W::InFlight>]) {
    solve(graph, Direction::Forward, &mut Propagation(walker), starts);
}

struct Propagation<'a, W>(&'a mut W);

impl<W: Walker> Analysis for Propagation<'_, W> {
    type State = Vec<W::InFlight>;

    fn transfer(&mut self, block: BlockId, state: &Self::State) {
        self.0.pass(block, state);
    }

    fn join(&mut self, from: BlockId, to: BlockId, state: &mut Self::State) -> bool {
        merge(state, &self.0.leaving(from, to))
    }
}

/// Merges accesses into a set. Both lists are sorted by key. Returns true if the set has changed.
fn merge<T: InFlight>(set: &mut Vec<T>, arriving: &[T]) -> bool {
    let mut changed = false;
    let mut merged = Vec::with_capacity(set.len().max(arriving.len()));
    let (mut kept, mut other) = (set.iter().peekable(), arriving.iter().peekable());
    loop {
        let order = match (kept.peek(), other.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(kept), Some(other)) => kept.key().cmp(&other.key()),
        };
        merged.extend(match order {
            Ordering::Less => kept.next().copied(),
            Ordering::Greater => {
                changed = true;
                other.next().copied()
            }
            Ordering::Equal => kept.next().zip(other.next()).map(|(kept, other)| {
                let both = kept.join(other);
                changed |= both != *kept;
                both
            }),
        });
    }
    if changed {
        *set = merged;
    }
    changed
}
