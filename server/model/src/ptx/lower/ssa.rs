//! Registers to values that are written once: Braun et al., "Simple and Efficient Construction of Static Single
//! Assignment Form" (CC'13).

use super::graph::Graph;
use super::ir::{Arg, BlockId, Body, Kind, Node, Value};
use rustc_hash::FxHashMap;

/// What the function's registers hold, block by block.
#[derive(Debug, Default)]
pub(super) struct Registers {
    /// By block and register.
    held: FxHashMap<(BlockId, u32), Value>,
    filled: Vec<bool>,
    /// Phis whose predecessors were not all read yet: of that block and register.
    open: Vec<(Value, BlockId, u32, u8)>,
}

impl Registers {
    pub(super) fn write(&mut self, block: BlockId, register: u32, value: Value) {
        self.held.insert((block, register), value);
    }

    /// What a register holds at this point of the block that is being read.
    pub(super) fn read(
        &mut self,
        body: &mut Body,
        graph: &Graph,
        block: BlockId,
        register: u32,
        words: u8,
    ) -> Value {
        // Straight predecessors are walked, not recursed into.
        let mut at = block;
        let mut passed = Vec::new();
        let value = loop {
            if let Some(&value) = self.held.get(&(at, register)) {
                break value;
            }
            passed.push(at);
            let predecessors = &graph.blocks[at as usize].predecessors;
            let all_filled = predecessors.iter().all(|&from| self.filled.get(from as usize) == Some(&true));
            match predecessors[..] {
                [] => break body.undefined(words),
                [only] if all_filled && only != at => at = only,
                _ => {
                    let id = body.add(Node::new("", Kind::Phi, super::ir::NOWHERE, 0), &[words]);
                    body.nodes[id as usize].block = at;
                    let value = body.nodes[id as usize].results[0];
                    self.open.push((value, at, register, words));
                    break value;
                }
            }
        };
        for block in passed {
            self.held.insert((block, register), value);
        }
        value
    }

    /// Everything of a block was read.
    pub(super) fn fill(&mut self, block: BlockId) {
        let block = block as usize;
        if self.filled.len() <= block {
            self.filled.resize(block + 1, false);
        }
        self.filled[block] = true;
    }

    /// Gives phis their values, puts them at the start of their blocks and takes away those that choose nothing.
    pub(super) fn finish(mut self, body: &mut Body, graph: &Graph) {
        let mut phis = Vec::new();
        while let Some((value, block, register, words)) = self.open.pop() {
            let predecessors = graph.blocks[block as usize].predecessors.clone();
            let args: Vec<Arg> = predecessors
                .into_iter()
                .map(|from| Arg::plain(self.read(body, graph, from, register, words)))
                .collect();
            let id = body.values[value as usize].node;
            body.nodes[id as usize].args = args;
            phis.push(id);
        }
        let same = trivial(body, &phis);
        for node in &mut body.nodes {
            let replaced = |value: &mut Value| *value = root(&same, *value);
            node.args.iter_mut().for_each(|arg| replaced(&mut arg.value));
            node.previous.iter_mut().for_each(replaced);
            node.addresses.iter_mut().filter_map(|address| address.base.as_mut()).for_each(replaced);
            if let Some((guard, _)) = &mut node.guard {
                replaced(guard);
            }
        }
        phis.retain(|&id| {
            root(&same, body.nodes[id as usize].results[0]) == body.nodes[id as usize].results[0]
        });
        phis.sort_unstable();
        for &id in phis.iter().rev() {
            let block = body.nodes[id as usize].block;
            body.blocks[block as usize].nodes.insert(0, id);
        }
    }
}

/// By value the one that stands for it: a phi of one value and itself is that value.
fn trivial(body: &Body, phis: &[u32]) -> FxHashMap<Value, Value> {
    let mut same: FxHashMap<Value, Value> = FxHashMap::default();
    loop {
        let mut changed = false;
        for &id in phis {
            let node = &body.nodes[id as usize];
            let own = node.results[0];
            if same.contains_key(&own) {
                continue;
            }
            let mut others = node.args.iter().map(|arg| root(&same, arg.value)).filter(|&value| value != own);
            let first = others.next();
            if let Some(first) = first
                && others.all(|value| value == first)
            {
                same.insert(own, first);
                changed = true;
            }
        }
        if !changed {
            return same;
        }
    }
}

fn root(same: &FxHashMap<Value, Value>, value: Value) -> Value {
    let mut at = value;
    while let Some(&next) = same.get(&at) {
        at = next;
    }
    at
}
