//! Intermediate representation between PTX and SASS: typed SSA values in basic blocks.

pub(super) use super::opcode::OpcodeId;
use super::opcode::{Opcode, Opcodes};
pub(super) use super::operation::Operation;
pub(super) use crate::flow::BlockId;
use crate::flow::FlowGraph;
use machine::ptx::Sign;
use rustc_hash::FxHashMap;

/// An index into [`Body::values`].
pub(super) type ValueId = u32;
/// An index into [`Body::nodes`].
pub(super) type NodeId = u32;

/// Pseudo-block of nodes outside the code: constants, parameters, and registers that are never written.
pub(super) const NOWHERE: BlockId = BlockId::MAX;

/// An operand: a value with a sign modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Arg {
    pub value: ValueId,
    pub sign: Sign,
}

/// Contents of address brackets: a base register, an offset, and the constant bank if the address is in a
/// constant bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Address {
    pub base: Option<ValueId>,
    pub offset: i64,
    pub bank: Option<u8>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ValueInfo {
    pub node: NodeId,
    /// Number of 32-bit registers; 0 for a predicate.
    pub words: u8,
}

/// Kind of a node, as distinguished by the passes. The expansion depends on the opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Constant(u64),
    /// A word of a constant bank: a kernel parameter or a launch dimension.
    Bank(u8, u32),
    Undefined,
    /// A phi: one operand for each predecessor of its block.
    Phi,
    Copy,
    /// Values in consecutive registers.
    Pack,
    /// Consecutive words of a value, starting at this word.
    Part(u8),
    /// A node without side effects, which can be recomputed or removed.
    Pure(Operation),
    /// A load without side effects, which may be removed but not moved freely.
    Load,
    /// A node with side effects, which must not be moved or removed.
    Effect,
    /// A branch to this block, which ends a block.
    Branch(BlockId),
    /// An exit of the thread or a return from the function.
    Leave,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub opcode: OpcodeId,
    pub kind: Kind,
    pub args: Vec<Arg>,
    pub addresses: Vec<Address>,
    pub results: Vec<ValueId>,
    /// Guard predicate, and whether the predicate is negated.
    pub guard: Option<(ValueId, bool)>,
    /// Values of the results if the guard is false.
    pub previous: Vec<ValueId>,
    /// Index of the PTX statement from which the node was generated.
    pub origin: u32,
    pub block: BlockId,
}

#[derive(Debug, Clone, Default)]
pub(super) struct IrBlock {
    pub nodes: Vec<NodeId>,
}

/// Nodes and values of a function, in basic blocks.
#[derive(Debug)]
pub(super) struct Body {
    pub opcodes: Opcodes,
    pub nodes: Vec<Node>,
    pub values: Vec<ValueInfo>,
    /// Basic blocks, in source order.
    pub blocks: Vec<IrBlock>,
    /// Control-flow graph of the blocks.
    pub flow: FlowGraph,
    pub constants: FxHashMap<(u64, u8), ValueId>,
    /// Bytes of shared memory per block.
    pub shared: u32,
}

impl Arg {
    pub(super) fn plain(value: ValueId) -> Self {
        Self { value, sign: Sign::default() }
    }

    /// Returns a guard predicate as an operand.
    pub(super) fn guard((value, not): (ValueId, bool)) -> Self {
        Self { value, sign: Sign { not, ..Sign::default() } }
    }
}

impl Body {
    /// Creates a body with the empty blocks of `flow`.
    pub(super) fn new(opcodes: Opcodes, flow: FlowGraph) -> Self {
        let blocks = vec![IrBlock::default(); flow.len()];
        let (nodes, values, constants) = (Vec::new(), Vec::new(), FxHashMap::default());
        Self { opcodes, nodes, values, blocks, flow, constants, shared: 0 }
    }

    pub(super) fn opcode(&self, node: &Node) -> &Opcode {
        self.opcodes.get(node.opcode)
    }

    /// Appends a node to its block. The node has one result per element of `words`, with this number of
    /// 32-bit registers.
    pub(super) fn add(&mut self, node: Node, words: &[u8]) -> NodeId {
        let block = node.block;
        let id = self.add_unplaced(node, words);
        if let Some(block) = self.blocks.get_mut(block as usize) {
            block.nodes.push(id);
        }
        id
    }

    /// Adds a node without appending it to its block.
    pub(super) fn add_unplaced(&mut self, mut node: Node, words: &[u8]) -> NodeId {
        let id = self.nodes.len() as NodeId;
        for &words in words {
            node.results.push(self.values.len() as ValueId);
            self.values.push(ValueInfo { node: id, words });
        }
        self.nodes.push(node);
        id
    }

    /// Adds a node that copies a value, without appending the node to `block`. Returns the node and its
    /// result.
    pub(super) fn copy_of(&mut self, value: ValueId, block: BlockId) -> (NodeId, ValueId) {
        let origin = self.node_of(value).origin;
        let node = Node::new(OpcodeId::default(), Kind::Copy, block, origin).with([Arg::plain(value)]);
        let copy = self.add_unplaced(node, &[self.words(value)]);
        (copy, self.nodes[copy as usize].results[0])
    }

    pub(super) fn node_of(&self, value: ValueId) -> &Node {
        &self.nodes[self.values[value as usize].node as usize]
    }

    pub(super) fn words(&self, value: ValueId) -> u8 {
        self.values[value as usize].words
    }

    pub(super) fn constant(&mut self, bits: u64, words: u8) -> ValueId {
        if let Some(&known) = self.constants.get(&(bits, words)) {
            return known;
        }
        let node = Node::new(OpcodeId::default(), Kind::Constant(bits), NOWHERE, 0);
        let value = self.value_of(node, words);
        self.constants.insert((bits, words), value);
        value
    }

    pub(super) fn undefined(&mut self, words: u8) -> ValueId {
        self.value_of(Node::new(OpcodeId::default(), Kind::Undefined, NOWHERE, 0), words)
    }

    /// Appends a node to its block and returns its only result.
    pub(super) fn value_of(&mut self, node: Node, words: u8) -> ValueId {
        let id = self.add(node, &[words]);
        self.nodes[id as usize].results[0]
    }

    /// Returns the bits of a constant value, as 64 bits for all widths. `None` if the value is not a
    /// constant.
    pub(super) fn constant_of(&self, value: ValueId) -> Option<u64> {
        match self.node_of(value).kind {
            Kind::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// Counts the reads of each value.
    pub(super) fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.values.len()];
        for block in &self.blocks {
            for &node in &block.nodes {
                for value in self.nodes[node as usize].reads() {
                    counts[value as usize] += 1;
                }
            }
        }
        counts
    }
}

impl Node {
    pub(super) fn new(opcode: OpcodeId, kind: Kind, block: BlockId, origin: u32) -> Self {
        Self {
            opcode,
            kind,
            args: Vec::new(),
            addresses: Vec::new(),
            results: Vec::new(),
            guard: None,
            previous: Vec::new(),
            origin,
            block,
        }
    }

    pub(super) fn with(mut self, args: impl IntoIterator<Item = Arg>) -> Self {
        self.args.extend(args);
        self
    }

    /// Returns all values that the node reads, including guards, address bases and previous values.
    pub(super) fn reads(&self) -> impl Iterator<Item = ValueId> {
        let args = self.args.iter().map(|arg| arg.value);
        let bases = self.addresses.iter().filter_map(|address| address.base);
        args.chain(bases).chain(self.guard.map(|(value, _)| value)).chain(self.previous.iter().copied())
    }

    /// Returns mutable references to the values of [`Self::reads`].
    pub(super) fn reads_mut(&mut self) -> impl Iterator<Item = &mut ValueId> {
        let args = self.args.iter_mut().map(|arg| &mut arg.value);
        let bases = self.addresses.iter_mut().filter_map(|address| address.base.as_mut());
        args.chain(bases).chain(self.guard.as_mut().map(|(value, _)| value)).chain(&mut self.previous)
    }

    /// True if the node may be removed once its results are unused.
    pub(super) fn is_removable(&self) -> bool {
        matches!(self.kind, Kind::Phi | Kind::Copy | Kind::Pack | Kind::Part(_) | Kind::Pure(_) | Kind::Load)
    }

    /// True if the node computes the same result at any position where its operands are available.
    pub(super) fn is_movable(&self) -> bool {
        matches!(self.kind, Kind::Pure(_) | Kind::Pack | Kind::Part(_) | Kind::Copy) && self.guard.is_none()
    }
}
