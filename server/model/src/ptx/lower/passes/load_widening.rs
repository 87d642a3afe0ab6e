//! Load widening: loads adjacent words of shared memory with one instruction, like ptxas.
//!
//! Source: SASS that ptxas 13.5 generates for `sm_90`: it combines two or four words, or two double words, if the address
//! is known to be aligned and nothing is stored between the loads.

use super::super::graph::Graph;
use super::super::ir::{Arg, BlockId, Body, Kind, NodeId, OpcodeId, Operation, ValueId};
use super::super::opcode::Space;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use syntax::stop;

/// Maximum number of bytes that one instruction loads per lane.
const MAX_BYTES: i64 = 16; // Source: LDS.128, the widest load

/// Maximum number of values that are examined to find the alignment of an address.
const MAX_VALUES: u32 = 64; // limit: time; addresses are computed from fewer

/// Loads with the same base and the same opcode, by offset: the position in the block, and the node.
type Loads = BTreeMap<i64, (usize, NodeId)>;

/// Widens loads, in time approximately linear in the function.
pub(super) fn widen(body: &mut Body, _: &Graph) {
    for block in 0..body.blocks.len() {
        stop::check();
        let nodes = std::mem::take(&mut body.blocks[block].nodes);
        // New loads, by the position of the first load that each replaces.
        let mut wide: FxHashMap<usize, NodeId> = FxHashMap::default();
        let mut open: BTreeMap<(Option<ValueId>, OpcodeId), Loads> = BTreeMap::new();
        for (position, &id) in nodes.iter().enumerate() {
            let node = &body.nodes[id as usize];
            match node.kind {
                Kind::Effect => close(body, block as BlockId, &mut open, &mut wide),
                Kind::Load if is_candidate(body, id) => {
                    let address = node.addresses[0];
                    let own = open.entry((address.base, node.opcode)).or_default();
                    own.entry(address.offset).or_insert((position, id));
                }
                _ => {}
            }
        }
        close(body, block as BlockId, &mut open, &mut wide);
        let nodes = nodes.into_iter().enumerate();
        let kept = nodes.flat_map(|(position, id)| wide.get(&position).copied().into_iter().chain([id]));
        body.blocks[block].nodes = kept.collect();
    }
}

/// True for an unguarded load of a single word or double word from shared memory.
fn is_candidate(body: &Body, id: NodeId) -> bool {
    let node = &body.nodes[id as usize];
    let opcode = body.opcode(node);
    opcode.operation == Operation::Load
        && opcode.space == Some(Space::Shared)
        && opcode.elements == 1
        && matches!(opcode.ty.bits(), Some(32 | 64))
        && node.guard.is_none()
        && matches!(node.addresses[..], [address] if address.bank.is_none())
}

/// Combines the loads collected in `open`, and empties `open`.
fn close(
    body: &mut Body,
    block: BlockId,
    open: &mut BTreeMap<(Option<ValueId>, OpcodeId), Loads>,
    wide: &mut FxHashMap<usize, NodeId>,
) {
    for ((base, opcode), mut loads) in std::mem::take(open) {
        let bytes = body.opcodes.get(opcode).ty.bits().map_or(0, |bits| i64::from(bits) / 8);
        let alignment = base.map_or(MAX_BYTES, |base| 1 << Zeros::new(body).count(base).min(4));
        let mut width = MAX_BYTES;
        while width > bytes {
            if alignment >= width {
                combine(body, block, (opcode, bytes, width), &mut loads, wide);
            }
            width /= 2;
        }
    }
}

/// Combines the loads that fill an aligned range of `width` bytes, and removes them from `loads`.
fn combine(
    body: &mut Body,
    block: BlockId,
    (opcode, bytes, width): (OpcodeId, i64, i64),
    loads: &mut Loads,
    wide: &mut FxHashMap<usize, NodeId>,
) {
    let starts: Vec<i64> = loads.keys().copied().filter(|start| start % width == 0).collect();
    for start in starts {
        let offsets = (start..start + width).step_by(bytes as usize);
        let own: Vec<(usize, NodeId)> = offsets.clone().filter_map(|at| loads.get(&at).copied()).collect();
        let count = (width / bytes) as u8;
        if own.len() != usize::from(count) {
            continue;
        }
        let vector = body.opcodes.widened(opcode, count);
        if body.opcodes.get(vector).expansion.is_none() {
            return;
        }
        for at in offsets {
            loads.remove(&at);
        }
        let Some(first) = own.iter().map(|&(position, _)| position).min() else { continue };
        let mut node = body.nodes[own[0].1 as usize].clone();
        let words = body.words(node.results[0]);
        (node.opcode, node.block) = (vector, block);
        node.results.clear();
        let load = body.add_unplaced(node, &[words * count]);
        let whole = body.nodes[load as usize].results[0];
        wide.insert(first, load);
        for (at, &(_, id)) in (0..).zip(&own) {
            let node = &mut body.nodes[id as usize];
            node.kind = Kind::Part(at * words);
            node.opcode = OpcodeId::default();
            node.args = vec![Arg::plain(whole)];
            node.addresses.clear();
        }
    }
}

/// Search for the low bits of a value that are known to be zero.
struct Zeros<'a> {
    body: &'a Body,
    /// Number of values that may still be examined.
    left: u32,
    /// Phis on the current search path. Where the search meets one of them again, in a loop, all its bits are assumed to
    /// be zero, so that only the phi's other operands count. This is sound because the supported operations keep the low
    /// zero bits that all their operands have.
    phis: Vec<ValueId>,
}

impl<'a> Zeros<'a> {
    fn new(body: &'a Body) -> Self {
        Self { body, left: MAX_VALUES, phis: Vec::new() }
    }

    /// Returns the number of low bits of a value that are known to be zero.
    fn count(&mut self, value: ValueId) -> u32 {
        if self.phis.contains(&value) {
            return u64::BITS;
        }
        let Some(left) = self.left.checked_sub(1) else { return 0 };
        self.left = left;
        let node = self.body.node_of(value);
        match node.kind {
            Kind::Constant(bits) => bits.trailing_zeros(),
            Kind::Phi => {
                self.phis.push(value);
                let least = (0..node.args.len()).map(|at| self.operand(value, at)).min().unwrap_or(0);
                self.phis.pop();
                least
            }
            Kind::Copy => self.operand(value, 0),
            Kind::Pure(operation) if node.guard.is_none() => self.of_operation(operation, value),
            _ => 0,
        }
    }

    fn of_operation(&mut self, operation: Operation, value: ValueId) -> u32 {
        let mut of = |at: usize| self.operand(value, at);
        match operation {
            Operation::Move | Operation::SharedAddress => of(0),
            Operation::Add | Operation::Subtract | Operation::Or | Operation::Xor => of(0).min(of(1)),
            Operation::And => of(0).max(of(1)),
            Operation::Multiply => of(0) + of(1),
            Operation::MultiplyAdd => (of(0) + of(1)).min(of(2)),
            Operation::ShiftLeft => {
                let zeros = of(0);
                let by =
                    self.body.node_of(value).args.get(1).and_then(|arg| self.body.constant_of(arg.value));
                by.map_or(0, |by| zeros + by.min(u64::from(u64::BITS)) as u32)
            }
            _ => 0,
        }
    }

    fn operand(&mut self, value: ValueId, at: usize) -> u32 {
        match self.body.node_of(value).args.get(at) {
            Some(arg) if *arg == Arg::plain(arg.value) => self.count(arg.value),
            _ => 0,
        }
    }
}
