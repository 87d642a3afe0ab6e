//! Global value numbering as nodes are added: a node whose value is already available is not added. Each node is
//! first brought into canonical form and folded.

mod available;
mod folding;
mod strength;

use super::graph::Graph;
use super::ir::{Address, Arg, Body, Kind, Node, OpcodeId, Operation, ValueId};
use available::AvailableNodes;
use folding::{identity, taken_from_one};
use machine::ptx::Sign;
use rustc_hash::FxHashMap;
use strength::canonical;

/// Adds nodes to a body, or reuses existing nodes that compute the same values.
#[derive(Debug, Default)]
pub(super) struct ValueNumbering {
    known: FxHashMap<Key, AvailableNodes>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    opcode: OpcodeId,
    kind: Kind,
    args: Vec<Arg>,
    addresses: Vec<Address>,
}

/// Maximum offset in an instruction's address: 24 bits, signed.
const MAX_OFFSET: u64 = 0x7f_ffff; // Source: the encodings, 24 bits with a sign

impl ValueNumbering {
    /// Adds a node unless its values are already available, and returns its values. `words` contains the number of 32-bit
    /// registers of each value.
    pub(super) fn add(
        &mut self,
        body: &mut Body,
        graph: &Graph,
        mut node: Node,
        words: &[u8],
    ) -> Vec<ValueId> {
        let is_pure = node.guard.is_none()
            && match node.kind {
                Kind::Pure(_) | Kind::Pack | Kind::Part(_) | Kind::Bank(..) => true,
                // The contents of constant banks do not change.
                Kind::Load => reads_constants(&node),
                _ => false,
            };
        // A constant is equal in all lanes: a shuffle returns it unchanged.
        if let (&[width], Some(first)) = (words, node.args.first())
            && body.opcode(&node).operation == Operation::Shuffle
            && node.guard.is_none()
            && body.constant_of(first.value).is_some()
            && body.words(first.value) == width
        {
            return vec![first.value];
        }
        if !is_pure {
            let id = body.add(node, words);
            return body.nodes[id as usize].results.clone();
        }
        canonical(body, &mut node);
        taken_from_one(body, &mut node);
        if let &[width] = words
            && let Some(value) = identity(body, &node, words)
            // In a malformed instruction, the value may have another width, such as that of a predicate.
            && body.words(value) == width
        {
            return vec![value];
        }
        let key = Key {
            opcode: node.opcode,
            kind: node.kind,
            args: node.args.clone(),
            addresses: node.addresses.clone(),
        };
        let found = self.known.entry(key).or_default();
        if let Some(id) = found.oldest_above(graph, node.block) {
            let results = &body.nodes[id as usize].results;
            if results.len() == words.len()
                && results.iter().zip(words).all(|(&value, &words)| body.words(value) == words)
            {
                return results.clone();
            }
        }
        let block = node.block;
        let id = body.add(node, words);
        found.add(graph, block, id);
        body.nodes[id as usize].results.clone()
    }

    /// Returns an address whose offset includes the constants that are added to its base.
    #[expect(clippy::unused_self, reason = "addresses are simplified where nodes are")]
    pub(super) fn address(&self, body: &Body, mut address: Address) -> Address {
        while let Some(base) = address.base {
            if let Some(bits) = body.constant_of(base) {
                return Address { base: None, offset: address.offset.wrapping_add(bits as i64), ..address };
            }
            let node = body.node_of(base);
            let [one, other] = node.args[..] else { break };
            let Kind::Pure(Operation::Add) = node.kind else { break };
            if one.sign != Sign::default() {
                break;
            }
            let Some(bits) = body.constant_of(other.value) else { break };
            let added = if body.words(base) == 2 { bits as i64 } else { i64::from(bits as u32 as i32) };
            let offset = address.offset.wrapping_add(added);
            if offset.unsigned_abs() > MAX_OFFSET {
                break;
            }
            address = Address { base: Some(one.value), offset, ..address };
        }
        address
    }
}

/// True if the node has addresses and all are in constant banks.
pub(super) fn reads_constants(node: &Node) -> bool {
    !node.addresses.is_empty() && node.addresses.iter().all(|address| address.bank.is_some())
}
