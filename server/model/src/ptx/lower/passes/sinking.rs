//! Sinking: moves computations out of a loop if only code after the loop reads the results.

use super::super::graph::Graph;
use super::super::ir::{BlockId, Body, Kind, NOWHERE, Node, NodeId, Operation, ValueId};
use super::super::opcode::{Opcode, Space};
use machine::ptx::{Name, Piece, Step};
use rustc_hash::FxHashSet;
use syntax::stop;

/// Readers of each value, with their blocks. A phi reads at the end of a predecessor. A reader of an element
/// also reads the entire value.
type Users = [Vec<(NodeId, BlockId)>];

/// Moves nodes that are read only after a loop to the reading code, if this takes no additional registers,
/// like ptxas.
pub(super) fn sink(body: &mut Body, graph: &Graph) {
    let users = users(body);
    for block in (0..body.blocks.len()).rev() {
        if graph.loops.depth(block as BlockId) == 0 {
            continue;
        }
        // Later nodes in the block may write the memory that a load reads.
        let mut changes = Changes::default();
        let mut moved = FxHashSet::default();
        for id in body.blocks[block].nodes.clone().into_iter().rev() {
            stop::check();
            let node = &body.nodes[id as usize];
            changes.add(node, body.opcode(node));
            let is_load = node.kind == Kind::Load
                && node.guard.is_none()
                && !node.addresses.is_empty()
                && !changes.may_touch(body.opcode(node));
            // Element nodes move with the value that they read.
            if matches!(node.kind, Kind::Part(_))
                || !node.is_movable() && !is_load
                || hands_predicates_on(body.opcode(node))
            {
                continue;
            }
            let mut at: Option<BlockId> = None;
            for &value in &node.results {
                for &(user, stated) in &users[value as usize] {
                    // Users that were already moved are now in another block.
                    let own = &body.nodes[user as usize];
                    let place = if own.kind == Kind::Phi { stated } else { own.block };
                    at = Some(at.map_or(place, |known| graph.dominators.nearest_common(known, place)));
                }
            }
            let is_shallower = |to: &BlockId| graph.loops.depth(*to) < graph.loops.depth(block as BlockId);
            let at = at.filter(|&to| (to as usize) < body.blocks.len());
            let Some(to) = at.filter(is_shallower) else { continue };
            if is_load && !body.flow.successors(block as BlockId).contains(&to) {
                continue;
            }
            if kept(body, graph, &users, id) > saved(body, id) || follows_effect(body, id) {
                continue;
            }
            for own in with_parts(body, &users, id) {
                moved.insert(own);
                let nodes = &body.blocks[to as usize].nodes;
                let following = nodes.iter().position(|&other| body.nodes[other as usize].kind != Kind::Phi);
                let at = following.unwrap_or(nodes.len());
                body.blocks[to as usize].nodes.insert(at, own);
                body.nodes[own as usize].block = to;
            }
        }
        if !moved.is_empty() {
            body.blocks[block].nodes.retain(|id| !moved.contains(id));
        }
    }
}

fn users(body: &Body) -> Vec<Vec<(NodeId, BlockId)>> {
    let mut users: Vec<Vec<(NodeId, BlockId)>> = vec![Vec::new(); body.values.len()];
    for &id in body.blocks.iter().flat_map(|block| &block.nodes) {
        let node = &body.nodes[id as usize];
        if matches!(node.kind, Kind::Part(_)) {
            continue;
        }
        let from = body.flow.predecessors(node.block).iter().copied();
        let places: Vec<(ValueId, BlockId)> = if node.kind == Kind::Phi {
            node.args.iter().map(|arg| arg.value).zip(from).collect()
        } else {
            node.reads().map(|value| (value, node.block)).collect()
        };
        for (mut value, place) in places {
            users[value as usize].push((id, place));
            while let Node { kind: Kind::Part(_), args, .. } = body.node_of(value) {
                value = args[0].value;
                users[value as usize].push((id, place));
            }
        }
    }
    users
}

/// Returns the element nodes of a node's results in reverse order, followed by the node.
fn with_parts(body: &Body, users: &Users, id: NodeId) -> Vec<NodeId> {
    let mut parts = Vec::new();
    for &result in &body.nodes[id as usize].results {
        for &(user, _) in &users[result as usize] {
            for mut value in body.nodes[user as usize].reads() {
                let mut way = Vec::new();
                while let Node { kind: Kind::Part(_), args, .. } = body.node_of(value) {
                    way.push(body.values[value as usize].node);
                    value = args[0].value;
                }
                if value == result {
                    parts.extend(way);
                }
            }
        }
    }
    parts.sort_unstable_by(|one, other| other.cmp(one));
    parts.dedup();
    parts.push(id);
    parts
}

/// Memory spaces that later nodes may write.
#[derive(Debug, Default)]
struct Changes {
    shared: bool,
    global: bool,
}

impl Changes {
    fn add(&mut self, node: &Node, opcode: &Opcode) {
        if node.kind != Kind::Effect || opcode.operation == Operation::Move {
            return;
        }
        match opcode.space {
            // An asynchronous copy writes to shared memory.
            Some(Space::Shared) => self.shared = true,
            Some(Space::Global) => self.global = true,
            _ => *self = Self { shared: true, global: true },
        }
    }

    fn may_touch(&self, load: &Opcode) -> bool {
        match load.space {
            Some(Space::Shared) => self.shared,
            Some(Space::Global) => self.global,
            Some(Space::Constant | Space::Parameter) => false,
            _ => self.shared || self.global,
        }
    }
}

/// True if a step of the opcode's expansion has a guard or uses a temporary predicate. ptxas does not sink such operations.
fn hands_predicates_on(opcode: &Opcode) -> bool {
    let uses_predicate = |step: &Step| {
        let slots = step.operands.iter().flatten().filter_map(|piece| match piece {
            Piece::Slot(slot) => Some(slot.name),
            Piece::Text(_) => None,
        });
        step.guard.is_some() || slots.into_iter().any(|name| matches!(name, Name::Predicate(_)))
    };
    opcode.expansion.as_ref().is_some_and(|row| row.steps.iter().any(uses_predicate))
}

/// Returns the number of registers that a loop must keep live to its end if a node moves to a position after
/// the loop. These registers hold operands that the loop computes and that no other code after the loop
/// needs. The old value of a phi is overwritten before the end of the loop.
fn kept(body: &Body, graph: &Graph, users: &Users, id: NodeId) -> u32 {
    let node = &body.nodes[id as usize];
    let depth = graph.loops.depth(node.block);
    let mut operands: Vec<ValueId> = node.reads().collect();
    operands.sort_unstable();
    operands.dedup();
    let is_kept = |&value: &ValueId| {
        let from = body.node_of(value);
        if from.block == NOWHERE || graph.loops.depth(from.block) < depth {
            return false;
        }
        let is_needed = |&(user, _): &(NodeId, BlockId)| {
            let other = &body.nodes[user as usize];
            other.kind == Kind::Phi || user != id && graph.loops.depth(other.block) < depth
        };
        from.kind == Kind::Phi || !users[value as usize].iter().any(is_needed)
    };
    operands.into_iter().filter(is_kept).map(|value| u32::from(body.words(value).max(1))).sum()
}

/// True if the node reads the result of an atomic, a shuffle or another node with side effects in its own block.
///
/// ptxas does not sink such nodes. Source: atomics and shuffles in loops that ptxas 13.0 compiled for `sm_90`.
fn follows_effect(body: &Body, id: NodeId) -> bool {
    let node = &body.nodes[id as usize];
    node.reads().any(|value| {
        let from = body.node_of(value);
        from.block == node.block && from.kind == Kind::Effect
    })
}

/// Returns the number of registers that hold a node's results.
fn saved(body: &Body, id: NodeId) -> u32 {
    body.nodes[id as usize].results.iter().map(|&value| u32::from(body.words(value).max(1))).sum()
}
