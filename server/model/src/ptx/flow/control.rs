//! Control dependence, computed from post-dominators: the branches that determine whether a block is executed.
//!
//! A barrier does not wait for a thread that has exited. Paths that only end the thread are therefore ignored. Outside
//! loops, early returns are ignored as well: paths that end the thread and rejoin no other path. Source: PTX ISA,
//! `barrier`: only threads that have not exited count.

use super::Flow;
use crate::flow::{Analysis, Direction, DominatorTree, FlowGraph, solve};
use crate::ptx::bits::{Bits, rows};
use fixedbitset::FixedBitSet;
use machine::ptx::ControlFlow;
use petgraph::algo::tarjan_scc;
use petgraph::visit::{Dfs, Reversed, VisitMap};

/// Branches that determine whether each block of a function is executed.
#[derive(Debug, Clone)]
pub struct Control {
    /// For each block, the blocks whose last instruction directly decides whether the block is executed, in ascending
    /// order.
    deciders: Vec<Vec<u32>>,
    /// For each block, the blocks that decide directly or indirectly whether it is executed, as a bit set.
    parts: Vec<Bits>,
    /// Loop number of each block: blocks of the same loop nest have the same number. `None` outside loops.
    loops: Vec<Option<u32>>,
}

impl Control {
    /// Computes the control dependences of a function.
    pub fn compute(flow: &Flow) -> Self {
        let loops = loops(flow.graph());
        let kept = kept_successors(flow, &loops);
        let count = flow.blocks().len();
        let exit = count as u32;
        // A block without remaining successors gets an edge to the exit.
        let ends = [exit];
        let graph = FlowGraph::new(
            kept.iter().map(|next| if next.is_empty() { &ends[..] } else { next }).chain([&[][..]]),
        );
        let post = DominatorTree::compute(&end_endless_loops(graph, exit).reversed(), exit);
        let mut deciders = vec![Vec::new(); count];
        for (block, successors) in kept.iter().enumerate() {
            if successors.len() < 2 {
                continue;
            }
            let join = post.parent(block as u32);
            for &successor in successors {
                let mut at = Some(successor);
                while let Some(node) = at.filter(|node| Some(*node) != join && *node != exit) {
                    deciders[node as usize].push(block as u32);
                    at = post.parent(node);
                }
            }
        }
        for of_block in &mut deciders {
            of_block.sort_unstable();
            of_block.dedup();
        }
        let parts = parts(&deciders);
        Self { deciders, parts, loops }
    }

    /// Returns the blocks whose last instruction directly decides whether `block` is executed, in ascending order.
    pub fn deciders(&self, block: u32) -> &[u32] {
        &self.deciders[block as usize]
    }

    /// True if the last instruction of `decider` decides whether `block` is executed, directly or through
    /// other branches.
    pub fn has_part(&self, decider: u32, block: u32) -> bool {
        self.parts[block as usize].has(decider)
    }

    /// Iterates, in ascending order, over all blocks whose last instruction decides directly or indirectly whether
    /// `block` is executed.
    pub fn all_deciders(&self, block: u32) -> impl Iterator<Item = u32> {
        (0..self.deciders.len() as u32).filter(move |&decider| self.has_part(decider, block))
    }

    /// Returns the number of the loop nest that contains a block. `None` outside loops.
    pub fn loop_of(&self, block: u32) -> Option<u32> {
        self.loops[block as usize]
    }
}

/// Returns the direct and indirect deciders of each block.
fn parts(deciders: &[Vec<u32>]) -> Vec<Bits> {
    let decided = FlowGraph::new(deciders).reversed();
    let mut parts = rows(deciders.len());
    solve(&decided, Direction::Forward, &mut Parts(Bits::default()), &mut parts);
    parts
}

/// The deciders of the block that [`Analysis::transfer`] last processed, and the block itself. All of them are also
/// deciders of the blocks that this block controls.
struct Parts(Bits);

impl Analysis for Parts {
    type State = Bits;

    fn transfer(&mut self, block: u32, state: &Bits) {
        self.0.clone_from(state);
        self.0.set(block);
    }

    fn join(&mut self, _: u32, _: u32, state: &mut Bits) -> bool {
        state.unite(&self.0)
    }
}

/// Numbers the strongly connected components that are loops: components of several blocks, or of one block
/// with an edge to itself.
fn loops(graph: &FlowGraph) -> Vec<Option<u32>> {
    let mut loops = vec![None; graph.len()];
    for (part, number) in tarjan_scc(graph).into_iter().zip(0_u32..) {
        let is_loop = part.len() > 1 || part.iter().any(|one| graph.successors(*one).contains(one));
        for one in part.iter().filter(|_| is_loop) {
            loops[*one as usize] = Some(number);
        }
    }
    loops
}

/// Returns the successors of each block, without those that only end the thread and, outside loops, without early
/// returns.
fn kept_successors(flow: &Flow, loops: &[Option<u32>]) -> Vec<Vec<u32>> {
    let goes_on = goes_on(flow, loops);
    let mut kept = Vec::with_capacity(loops.len());
    for number in flow.graph().blocks() {
        let is_kept = |next: &&u32| {
            let next = **next;
            let is_outside = loops[number as usize].is_none();
            let is_left = || is_outside && is_private_end(flow, number, next);
            goes_on.contains(next as usize) && !is_left()
        };
        kept.push(flow.graph().successors(number).iter().filter(is_kept).copied().collect());
    }
    kept
}

/// Returns the blocks that do more than end the thread, and all blocks from which they can be reached. All paths
/// from other blocks end the thread at once. A block in a loop is included even if it does nothing.
fn goes_on(flow: &Flow, loops: &[Option<u32>]) -> FixedBitSet {
    let graph = Reversed(flow.graph());
    let mut search = Dfs::empty(graph);
    for (at, block) in flow.blocks().iter().enumerate() {
        let nodes = &flow.nodes()[block.instructions.start as usize..block.instructions.end as usize];
        if loops[at].is_some() || nodes.iter().any(|node| node.behaviour.flow == ControlFlow::Next) {
            search.move_to(at as u32);
            while search.next(graph).is_some() {}
        }
    }
    search.discovered
}

/// True if the path from branch `from` through `next` ends the thread without joining another path. All
/// blocks of the path are reached only through `next`, and none of them executes a collective operation with
/// other threads.
fn is_private_end(flow: &Flow, from: u32, next: u32) -> bool {
    /// Maximum number of blocks of an early return; longer paths are not examined.
    const MAX: usize = 16; // limit: a longer path is not an early return
    let mut part = vec![next];
    let mut at = 0;
    while let Some(&block) = part.get(at) {
        for &more in flow.graph().successors(block) {
            if !part.contains(&more) {
                part.push(more);
            }
        }
        if part.len() > MAX {
            return false;
        }
        at += 1;
    }
    let is_alone = |node: u32| flow.nodes()[node as usize].behaviour.together.is_none();
    part.iter().all(|&block| {
        let led_from = flow.graph().predecessors(block);
        let may = |before: &u32| part.contains(before) || (block == next && *before == from);
        led_from.iter().all(may) && flow.blocks()[block as usize].instructions.clone().all(is_alone)
    })
}

/// Adds an edge to the exit from the last block of each endless loop. All blocks of the loop then have
/// post-dominators.
fn end_endless_loops(graph: FlowGraph, exit: u32) -> FlowGraph {
    let backward = Reversed(&graph);
    let mut tied = Dfs::empty(backward);
    let mut ends = FixedBitSet::with_capacity(graph.len());
    for last in (0..=exit).rev() {
        if !tied.discovered.is_visited(&last) {
            ends.set(last as usize, last != exit);
            tied.move_to(last);
            while tied.next(backward).is_some() {}
        }
    }
    if ends.is_clear() {
        return graph;
    }
    let tied = |block: u32| ends.contains(block as usize).then_some(exit);
    FlowGraph::new(
        graph
            .blocks()
            .map(|block| graph.successors(block).iter().copied().chain(tied(block)).collect::<Vec<_>>()),
    )
}
