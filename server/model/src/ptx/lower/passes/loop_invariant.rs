//! Loop-invariant code motion: moves computations with loop-invariant operands out of the loop, to a block before it.

use super::super::graph::Graph;
use super::super::ir::{BlockId, Body, Kind, NOWHERE, NodeId, ValueId};
use super::super::value_numbering::reads_constants;
use rustc_hash::FxHashMap;
use syntax::stop;

/// Phis that read each value, with the operand index.
type PhiReaders = FxHashMap<ValueId, Vec<(NodeId, usize)>>;

/// Moves loop-invariant nodes out of their loops, to a block before the loop.
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

/// Returns the block to which a node is hoisted: the block before the outermost loop that the node can leave. The node
/// leaves one loop after another while all its operands are defined before the loop. `None` if it is not hoisted.
fn place_before(body: &Body, graph: &Graph, block: BlockId, id: NodeId) -> Option<BlockId> {
    let node = &body.nodes[id as usize];
    // Loads from memory that does not change: constant banks, and global memory loaded with `nc`.
    let is_constant_load = node.kind == Kind::Load
        && (body.opcode(node).is_invariant
            || reads_constants(node) && node.addresses.iter().all(|address| address.base.is_none()));
    if !(node.is_movable() || is_constant_load && node.guard.is_none()) {
        return None;
    }
    let mut to = block;
    while let Some(header) = graph.loops.header(to) {
        let Some(before) = graph.dominator(header) else { break };
        let precedes = node.reads().all(|value| {
            let own = body.node_of(value).block;
            own == NOWHERE || graph.dominators.dominates(own, before)
        });
        if !precedes || graph.loops.depth(before) >= graph.loops.depth(to) {
            break;
        }
        to = before;
    }
    (to != block).then_some(to)
}

fn takers(body: &Body) -> PhiReaders {
    let mut takers = PhiReaders::default();
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

/// Leaves a copy in place of a hoisted node whose result is the operand of a phi. Returns the copy; `None` if
/// no phi reads the result.
fn leave_copy(body: &mut Body, takers: &mut PhiReaders, block: BlockId, id: NodeId) -> Option<NodeId> {
    let [value] = body.nodes[id as usize].results[..] else { return None };
    let phis = takers.remove(&value)?;
    let (copy, own) = body.copy_of(value, block);
    for &(phi, at) in &phis {
        body.nodes[phi as usize].args[at].value = own;
    }
    takers.insert(own, phis);
    Some(copy)
}
