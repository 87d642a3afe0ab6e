//! Copy insertion: preserves the old value of a phi for code after a loop that changes the phi (the lost-copy
//! problem of Briggs et al., "Practical Improvements to the Construction and Destruction of Static Single
//! Assignment Form", 1998).

use super::super::graph::Graph;
use super::super::ir::{Body, Kind, NodeId};
use syntax::stop;

/// Inserts a copy of each phi whose old value is read after the loop.
pub(super) fn insert(body: &mut Body, graph: &Graph) {
    let mut users: Vec<Vec<NodeId>> = vec![Vec::new(); body.values.len()];
    for block in &body.blocks {
        for &id in &block.nodes {
            for value in body.nodes[id as usize].reads() {
                users[value as usize].push(id);
            }
        }
    }
    for header in 0..body.blocks.len() {
        stop::check();
        let is_split = |&from: &u32| {
            graph.dominators.dominates(header as u32, from) && body.flow.successors(from).len() > 1
        };
        if !body.flow.predecessors(header as u32).iter().any(is_split) {
            continue;
        }
        let phis: Vec<NodeId> = body.blocks[header]
            .nodes
            .iter()
            .copied()
            .take_while(|&id| body.nodes[id as usize].kind == Kind::Phi)
            .collect();
        let mut place = phis.len();
        for id in phis {
            let value = body.nodes[id as usize].results[0];
            let is_outside =
                |user: &NodeId| !graph.loops.contains(header as u32, body.nodes[*user as usize].block);
            let outside: Vec<NodeId> = users[value as usize].iter().copied().filter(is_outside).collect();
            if outside.is_empty() {
                continue;
            }
            let (copy, kept) = body.copy_of(value, header as u32);
            body.blocks[header].nodes.insert(place, copy);
            place += 1;
            for user in outside {
                let reads = body.nodes[user as usize].reads_mut();
                reads.filter(|read| **read == value).for_each(|read| *read = kept);
            }
        }
    }
}
