//! Nodes that nobody needs go; those that a loop computes again and again go before it, those that only what follows needs
//! behind it.

use super::graph::Graph;
use super::ir::{Arg, BlockId, Body, Kind, NOWHERE, Node, NodeId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

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
    while let Some(id) = stack.pop() {
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
        if graph.depth[block] == 0 {
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
    let is_constant_load = node.kind == Kind::Load
        && node.addresses.iter().all(|address| address.bank.is_some() && address.base.is_none());
    if !(node.is_movable() || is_constant_load && node.guard.is_none()) {
        return None;
    }
    let mut to = block;
    while let Some(header) = graph.header[to as usize] {
        let before = graph.dominator[header as usize];
        let stands_before = Body::reads(node).all(|value| {
            let own = body.node_of(value).block;
            own == NOWHERE || graph.dominates(own, before)
        });
        if before == header || !stands_before || graph.depth[before as usize] >= graph.depth[to as usize] {
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

/// Where the loop's next pass takes over what goes before the loop, a copy stays in its place.
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

/// Moves what only what follows a loop reads there, where that takes no more registers: so does ptxas.
pub(super) fn sink(body: &mut Body, graph: &Graph) {
    let mut users: Vec<Vec<(NodeId, BlockId)>> = vec![Vec::new(); body.values.len()];
    for block in &body.blocks {
        for &id in &block.nodes {
            let node = &body.nodes[id as usize];
            if node.kind == Kind::Phi {
                let from = &body.blocks[node.block as usize].predecessors;
                for (arg, &from) in node.args.iter().zip(from) {
                    users[arg.value as usize].push((id, from));
                }
            } else {
                for value in Body::reads(node) {
                    users[value as usize].push((id, node.block));
                }
            }
        }
    }
    for block in (0..body.blocks.len()).rev() {
        if graph.depth[block] == 0 {
            continue;
        }
        // What stands behind may change memory.
        let mut changes = false;
        let mut moved = FxHashSet::default();
        for id in body.blocks[block].nodes.clone().into_iter().rev() {
            let node = &body.nodes[id as usize];
            changes |= node.kind == Kind::Effect && !node.spelling.starts_with("mov.");
            let is_load =
                node.kind == Kind::Load && node.guard.is_none() && !changes && !node.addresses.is_empty();
            if !node.is_movable() && !is_load {
                continue;
            }
            let mut at: Option<BlockId> = None;
            for &value in &node.results {
                for &(user, stated) in &users[value as usize] {
                    // Users that were moved stand elsewhere now.
                    let own = &body.nodes[user as usize];
                    let place = if own.kind == Kind::Phi { stated } else { own.block };
                    at = Some(at.map_or(place, |known| graph.meet(known, place)));
                }
            }
            let Some(to) = at.filter(|&to| graph.depth[to as usize] < graph.depth[block]) else { continue };
            if is_load && !body.blocks[block].successors.contains(&to) {
                continue;
            }
            if kept(body, graph, &users, id) > saved(body, id) {
                continue;
            }
            moved.insert(id);
            let nodes = &body.blocks[to as usize].nodes;
            let behind = nodes.iter().position(|&other| body.nodes[other as usize].kind != Kind::Phi);
            let at = behind.unwrap_or(nodes.len());
            body.blocks[to as usize].nodes.insert(at, id);
            body.nodes[id as usize].block = to;
        }
        if !moved.is_empty() {
            body.blocks[block].nodes.retain(|id| !moved.contains(id));
        }
    }
}

/// Registers that a loop would have to keep to its end for a node behind it: of operands that it computes and that nothing
/// else needs there. A phi's old value is gone by then.
fn kept(body: &Body, graph: &Graph, users: &[Vec<(NodeId, BlockId)>], id: NodeId) -> u32 {
    let node = &body.nodes[id as usize];
    let depth = graph.depth[node.block as usize];
    let mut operands: Vec<Value> = Body::reads(node).collect();
    operands.sort_unstable();
    operands.dedup();
    let is_kept = |&value: &Value| {
        let from = body.node_of(value);
        if from.block == NOWHERE || graph.depth[from.block as usize] < depth {
            return false;
        }
        let is_needed = |&(user, _): &(NodeId, BlockId)| {
            let other = &body.nodes[user as usize];
            other.kind == Kind::Phi || user != id && graph.depth[other.block as usize] < depth
        };
        from.kind == Kind::Phi || !users[value as usize].iter().any(is_needed)
    };
    operands.into_iter().filter(is_kept).map(|value| u32::from(body.words(value).max(1))).sum()
}

/// Registers that a node's results take.
fn saved(body: &Body, id: NodeId) -> u32 {
    body.nodes[id as usize].results.iter().map(|&value| u32::from(body.words(value))).sum()
}
