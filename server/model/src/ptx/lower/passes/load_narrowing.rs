//! Load narrowing: loads only the elements of a vector that are read, like ptxas.

use super::super::graph::Graph;
use super::super::ir::{BlockId, Body, Kind, Node, NodeId, Operation, ValueId};
use rustc_hash::FxHashMap;

/// A run of elements that one instruction loads: the first element and the number of elements.
type Run = (u8, u8);

/// Narrows vector loads, in time linear in the function. Dead code must be eliminated before this pass.
pub(super) fn narrow(body: &mut Body, _: &Graph) {
    let parts = parts(body);
    for block in 0..body.blocks.len() {
        let nodes = std::mem::take(&mut body.blocks[block].nodes);
        let mut kept = Vec::with_capacity(nodes.len());
        for id in nodes {
            match runs(body, &parts, id) {
                Some(runs) => kept.extend(split(body, &parts, block as BlockId, id, &runs)),
                None => kept.push(id),
            }
        }
        body.blocks[block].nodes = kept;
    }
}

/// Returns the element nodes of each value, each with the word at which the element starts. Values that are also read
/// as a whole are omitted.
fn parts(body: &Body) -> FxHashMap<ValueId, Vec<(u8, NodeId)>> {
    let mut parts: FxHashMap<ValueId, Vec<(u8, NodeId)>> = FxHashMap::default();
    let mut is_whole = vec![false; body.values.len()];
    for &id in body.blocks.iter().flat_map(|block| &block.nodes) {
        let node = &body.nodes[id as usize];
        if let Kind::Part(at) = node.kind {
            parts.entry(node.args[0].value).or_default().push((at, id));
        } else {
            node.reads().for_each(|value| is_whole[value as usize] = true);
        }
    }
    parts.retain(|&value, _| !is_whole[value as usize]);
    parts
}

/// Returns the runs to load instead of the entire vector; `None` if the load remains unchanged.
///
/// Source: SASS that ptxas 13.5 generates for `sm_90` from vectors of two and four elements, with each choice of
/// elements. Three or four elements remain one load; two elements are one load if they are an aligned pair.
fn runs(body: &Body, parts: &FxHashMap<ValueId, Vec<(u8, NodeId)>>, id: NodeId) -> Option<Vec<Run>> {
    let node = &body.nodes[id as usize];
    let &[value] = &node.results[..] else { return None };
    let opcode = body.opcode(node);
    let is_load = node.kind == Kind::Load && opcode.operation == Operation::Load;
    if !is_load || node.addresses.len() != 1 || opcode.elements == 1 {
        return None;
    }
    let (count, width) = (opcode.elements, opcode.ty.words());
    if opcode.ty.bits()? < 32 || width * count != body.words(value) {
        return None;
    }
    let mut is_read = [false; 4];
    for &(at, part) in parts.get(&value)? {
        let last = at + body.words(body.nodes[part as usize].results[0]).max(1) - 1;
        for element in at / width..=last / width {
            *is_read.get_mut(usize::from(element))? = true;
        }
    }
    let read: Vec<u8> = (0..count).filter(|&element| is_read[usize::from(element)]).collect();
    match read[..] {
        [only] => Some(vec![(only, 1)]),
        [one, other] if count > 2 && other == one + 1 && one.is_multiple_of(2) => Some(vec![(one, 2)]),
        [one, other] if count > 2 => Some(vec![(one, 1), (other, 1)]),
        _ => None,
    }
}

/// Creates one load per run, and redirects the element nodes to these loads.
fn split(
    body: &mut Body,
    parts: &FxHashMap<ValueId, Vec<(u8, NodeId)>>,
    block: BlockId,
    id: NodeId,
    runs: &[Run],
) -> Vec<NodeId> {
    let whole = body.nodes[id as usize].clone();
    let width = body.opcode(&whole).ty.words();
    let mut loads = Vec::with_capacity(runs.len());
    for &(first, count) in runs {
        let opcode = body.opcodes.narrowed(whole.opcode, count);
        let own = width * count;
        let mut node = Node { results: Vec::new(), previous: Vec::new(), opcode, ..whole.clone() };
        let address = &mut node.addresses[0];
        address.offset = address.offset.wrapping_add(4 * i64::from(width * first));
        node.block = block;
        if node.guard.is_some() {
            node.previous.push(body.undefined(own));
        }
        let load = body.add_unplaced(node, &[own]);
        loads.push(load);
        let value = body.nodes[load as usize].results[0];
        let start = width * first;
        for &(at, part) in parts.get(&whole.results[0]).into_iter().flatten() {
            if (start..start + own).contains(&at) {
                let node = &mut body.nodes[part as usize];
                node.args[0].value = value;
                node.kind = Kind::Part(at - start);
            }
        }
    }
    loads
}
