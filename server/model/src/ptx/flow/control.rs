//! Which branches decide whether a block is executed: control dependence, by post-dominators.
//!
//! A thread that ends is waited for by nobody, so ways that do nothing but end are left out, and so are those that
//! leave a piece of code without loops for good. Source: PTX ISA, `barrier`: only threads that have not exited count.

use super::Flow;
use crate::ptx::bits::{Bits, rows};
use machine::ptx::ControlFlow;
use petgraph::algo::{dominators, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use syntax::stop;

/// For each block of a function the branches that decide whether it is executed.
#[derive(Debug, Clone)]
pub struct Control {
    /// Blocks whose last instruction decides of each block, ascending.
    deciders: Vec<Vec<u32>>,
    /// Blocks that have a part in each block, one bit each.
    parts: Vec<Bits>,
    /// Number that the blocks of one loop nest share. `None` outside of loops.
    loops: Vec<Option<u32>>,
}

impl Control {
    pub fn of(flow: &Flow) -> Self {
        let loops = loops(flow);
        let kept = kept_successors(flow, &loops);
        let count = flow.blocks().len();
        let exit = NodeIndex::new(count);
        // Against the direction of control, so that dominators are post-dominators.
        let mut graph = DiGraph::<(), ()>::with_capacity(count + 1, count * 2);
        for _ in 0..=count {
            graph.add_node(());
        }
        for (block, next) in kept.iter().enumerate() {
            for &next in next {
                graph.add_edge(NodeIndex::new(next as usize), NodeIndex::new(block), ());
            }
            if next.is_empty() {
                graph.add_edge(exit, NodeIndex::new(block), ());
            }
        }
        end_endless_loops(&mut graph, exit, flow);
        let post = dominators::simple_fast(&graph, exit);
        let next_for_all = |block: usize| post.immediate_dominator(NodeIndex::new(block));
        let mut deciders = vec![Vec::new(); count];
        for (block, successors) in kept.iter().enumerate() {
            if successors.len() < 2 {
                continue;
            }
            let join = next_for_all(block);
            for &successor in successors {
                let mut at = Some(NodeIndex::new(successor as usize));
                while let Some(node) = at.filter(|node| Some(*node) != join && *node != exit) {
                    deciders[node.index()].push(block as u32);
                    at = next_for_all(node.index());
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

    /// The blocks whose last instruction decides by itself whether this one is executed, ascending.
    pub fn deciders(&self, block: u32) -> &[u32] {
        &self.deciders[block as usize]
    }

    /// True if the last instruction of `decider` has a part in whether `block` is executed: by itself, or because it
    /// decides of another that does.
    pub fn has_part(&self, decider: u32, block: u32) -> bool {
        self.parts[block as usize].has(decider)
    }

    /// All blocks whose last instruction has a part in whether this one is executed, ascending.
    pub fn all_deciders(&self, block: u32) -> impl Iterator<Item = u32> {
        (0..self.deciders.len() as u32).filter(move |&decider| self.has_part(decider, block))
    }

    /// A number that the blocks of one loop nest share. `None` outside of loops.
    pub fn loop_of(&self, block: u32) -> Option<u32> {
        self.loops[block as usize]
    }
}

/// Deciders of deciders, until nothing is added.
fn parts(deciders: &[Vec<u32>]) -> Vec<Bits> {
    let count = deciders.len();
    let mut parts = rows(count);
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for (block, own) in deciders.iter().enumerate() {
            stop::check_at(block);
            for &decider in own {
                let mut more = parts[decider as usize].clone();
                more.set(decider);
                has_changed |= parts[block].unite(&more);
            }
        }
    }
    parts
}

/// Strongly connected parts of more than one block, or with a jump to itself.
fn loops(flow: &Flow) -> Vec<Option<u32>> {
    let count = flow.blocks().len();
    let mut graph = DiGraph::<(), ()>::with_capacity(count, count * 2);
    for _ in 0..count {
        graph.add_node(());
    }
    for (block, from) in flow.blocks().iter().zip(0..) {
        for &next in &block.successors {
            graph.add_edge(NodeIndex::new(from), NodeIndex::new(next as usize), ());
        }
    }
    let mut loops = vec![None; count];
    for (part, number) in tarjan_scc(&graph).into_iter().zip(0_u32..) {
        let is_loop = part.len() > 1 || part.iter().any(|&one| graph.contains_edge(one, one));
        for one in part.iter().filter(|_| is_loop) {
            loops[one.index()] = Some(number);
        }
    }
    loops
}

/// The successors of each block without those that only end the thread.
fn kept_successors(flow: &Flow, loops: &[Option<u32>]) -> Vec<Vec<u32>> {
    let blocks = flow.blocks();
    let only_ends = only_ends(flow);
    let predecessors = flow.predecessors();
    let mut kept = Vec::with_capacity(blocks.len());
    for (block, number) in blocks.iter().zip(0_u32..) {
        let is_kept = |next: &&u32| {
            let next = **next;
            let is_outside = loops[number as usize].is_none();
            let is_left = || is_outside && is_private_end(flow, &predecessors, number, next);
            !only_ends[next as usize] && !is_left()
        };
        kept.push(block.successors.iter().filter(is_kept).copied().collect());
    }
    kept
}

/// Whether a block does nothing but end the thread, itself or by jumping to such a block.
fn only_ends(flow: &Flow) -> Vec<bool> {
    let does_nothing: Vec<bool> = flow
        .blocks()
        .iter()
        .map(|block| {
            let nodes = &flow.nodes()[block.instructions.start as usize..block.instructions.end as usize];
            nodes.iter().all(|node| node.behaviour.flow != ControlFlow::Next)
        })
        .collect();
    let mut only_ends = vec![false; does_nothing.len()];
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for (at, block) in flow.blocks().iter().enumerate().rev() {
            if does_nothing[at]
                && !only_ends[at]
                && block.successors.iter().all(|&next| only_ends[next as usize])
            {
                only_ends[at] = true;
                has_changed = true;
            }
        }
    }
    only_ends
}

/// Whether a way from a branch runs to the thread's end without meeting another: all that `next` leads to is led to from
/// there alone, and nothing of it is executed together with other threads.
fn is_private_end(flow: &Flow, predecessors: &[Vec<u32>], from: u32, next: u32) -> bool {
    /// Blocks that are looked at; what is longer is no early return.
    const MOST: usize = 16;
    let mut part = vec![next];
    let mut at = 0;
    while let Some(&block) = part.get(at) {
        let blocks = &flow.blocks()[block as usize];
        for &more in &blocks.successors {
            if !part.contains(&more) {
                part.push(more);
            }
        }
        if part.len() > MOST {
            return false;
        }
        at += 1;
    }
    let is_alone = |node: u32| flow.nodes()[node as usize].behaviour.together.is_none();
    part.iter().all(|&block| {
        let led_from = &predecessors[block as usize];
        let may = |before: &u32| part.contains(before) || (block == next && *before == from);
        led_from.iter().all(may) && flow.blocks()[block as usize].instructions.clone().all(is_alone)
    })
}

/// Ties what no way leads out of to the exit, or no dominator would be known of it.
fn end_endless_loops(graph: &mut DiGraph<(), ()>, exit: NodeIndex, flow: &Flow) {
    let mut is_tied = vec![false; graph.node_count()];
    let mut waiting = vec![exit];
    let mut last = flow.blocks().len();
    loop {
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut is_tied[node.index()], true) {
                waiting.extend(graph.neighbors(node));
            }
        }
        // The last block of such a loop is where it would end.
        while last > 0 && is_tied[last - 1] {
            last -= 1;
        }
        let Some(block) = last.checked_sub(1) else { break };
        graph.add_edge(exit, NodeIndex::new(block), ());
        waiting.push(NodeIndex::new(block));
    }
}
