//! Nodes that nobody needs go; those that a loop computes again and again go before it.

use super::graph::Graph;
use super::ir::{Arg, BlockId, Body, Kind, NOWHERE, Node, NodeId, Value};
use super::simplify::reads_constants;
use rustc_hash::FxHashMap;
use syntax::stop;

/// Takes out what has no effect, in time linear in the function.
pub(super) fn remove_dead(body: &mut Body) {
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
        for value in Body::reads(&body.nodes[id as usize]) {
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

/// Phis that take a value over, and as which of their operands.
type Takers = FxHashMap<Value, Vec<(NodeId, usize)>>;

/// Moves what does not change in a loop before it.
pub(super) fn hoist(body: &mut Body, graph: &Graph) {
    let mut takers = takers(body);
    for block in 0..body.blocks.len() {
        stop::check();
        if graph.loops.depth(block as BlockId) == 0 {
            continue;
        }
        let nodes = std::mem::take(&mut body.blocks[block].nodes);
        let mut kept = Vec::with_capacity(nodes.len());
        for id in nodes {
            let Some(to) = place_before(body, graph, block as BlockId, id) else {
                kept.push(id);
                continue;
            };
            kept.extend(leave_copy(body, &mut takers, block as BlockId, id));
            let branches =
                |&other: &NodeId| matches!(body.nodes[other as usize].kind, Kind::Branch(_) | Kind::Leave);
            let nodes = &body.blocks[to as usize].nodes;
            let at = nodes.iter().rposition(|other| !branches(other)).map_or(0, |last| last + 1);
            body.blocks[to as usize].nodes.insert(at, id);
            body.nodes[id as usize].block = to;
        }
        body.blocks[block].nodes = kept;
    }
}

/// The block before one loop after the other, as long as all operands stand before it; `None` where a node stays.
fn place_before(body: &Body, graph: &Graph, block: BlockId, id: NodeId) -> Option<BlockId> {
    let node = &body.nodes[id as usize];
    // Memory that nothing changes: constant banks, and what `nc` says of global memory.
    let is_unchanged = |spelling: &str| spelling.split('.').any(|word| word == "nc");
    let is_constant_load = node.kind == Kind::Load
        && (is_unchanged(&node.spelling)
            || reads_constants(node) && node.addresses.iter().all(|address| address.base.is_none()));
    if !(node.is_movable() || is_constant_load && node.guard.is_none()) {
        return None;
    }
    let mut to = block;
    while let Some(header) = graph.loops.header(to) {
        let Some(before) = graph.dominator(header) else { break };
        let stands_before = Body::reads(node).all(|value| {
            let own = body.node_of(value).block;
            own == NOWHERE || graph.dominators.dominates(own, before)
        });
        if !stands_before || graph.loops.depth(before) >= graph.loops.depth(to) {
            break;
        }
        to = before;
    }
    (to != block).then_some(to)
}

fn takers(body: &Body) -> Takers {
    let mut takers = Takers::default();
    for &phi in body.blocks.iter().flat_map(|block| &block.nodes) {
        let node = &body.nodes[phi as usize];
        if node.kind == Kind::Phi {
            for (at, arg) in node.args.iter().enumerate() {
                takers.entry(arg.value).or_default().push((phi, at));
            }
        }
    }
    takers
}

/// Leaves a copy in the place of a node that goes before the loop, where the loop's next pass takes it over.
fn leave_copy(body: &mut Body, takers: &mut Takers, block: BlockId, id: NodeId) -> Option<NodeId> {
    let [value] = body.nodes[id as usize].results[..] else { return None };
    let phis = takers.remove(&value)?;
    let words = body.words(value);
    let origin = body.nodes[id as usize].origin;
    let node = Node::new("", Kind::Copy, NOWHERE, origin).with([Arg::plain(value)]);
    let copy = body.add(node, &[words]);
    body.nodes[copy as usize].block = block;
    let own = body.nodes[copy as usize].results[0];
    for &(phi, at) in &phis {
        body.nodes[phi as usize].args[at].value = own;
    }
    takers.insert(own, phis);
    Some(copy)
}
