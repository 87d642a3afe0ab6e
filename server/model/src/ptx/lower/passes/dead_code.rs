//! Dead code elimination: removes nodes whose results are unused.

use super::super::graph::Graph;
use super::super::ir::{Body, NodeId};
use syntax::stop;

/// Removes nodes without side effects whose results are unused, in time linear in the function.
pub(super) fn eliminate(body: &mut Body, _: &Graph) {
    let mut needed = vec![false; body.nodes.len()];
    let mut stack: Vec<NodeId> = Vec::new();
    for block in &body.blocks {
        stack.extend(block.nodes.iter().filter(|&&id| !body.nodes[id as usize].is_removable()));
    }
    for &id in &stack {
        needed[id as usize] = true;
    }
    let mut step = 0;
    while let Some(id) = stack.pop() {
        step += 1;
        stop::check_at(step);
        for value in body.nodes[id as usize].reads() {
            let from = body.values[value as usize].node;
            if !std::mem::replace(&mut needed[from as usize], true) {
                stack.push(from);
            }
        }
    }
    for block in &mut body.blocks {
        block.nodes.retain(|&id| needed[id as usize]);
    }
}
