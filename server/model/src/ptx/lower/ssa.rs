//! Translates registers to values in SSA form: Braun et al., "Simple and Efficient Construction of Static
//! Single Assignment Form" (CC'13).

use super::graph::Graph;
use super::ir::{Arg, BlockId, Body, Kind, Node, OpcodeId, ValueId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use syntax::stop;

/// SSA values of the function's registers, by block.
#[derive(Debug, Default)]
pub(super) struct RegisterValues {
    /// Current value of each register at the end of each block, by block and register.
    held: FxHashMap<(BlockId, u32), ValueId>,
    filled: Vec<bool>,
    /// Phis whose predecessors have not all been translated, each with its block, register and word count.
    open: Vec<(ValueId, BlockId, u32, u8)>,
}

impl RegisterValues {
    pub(super) fn write(&mut self, block: BlockId, register: u32, value: ValueId) {
        self.held.insert((block, register), value);
    }

    /// Returns the value of a register at the current point of the block that is being translated.
    pub(super) fn read(
        &mut self,
        body: &mut Body,
        graph: &Graph,
        block: BlockId,
        register: u32,
        words: u8,
    ) -> ValueId {
        // Chains of single predecessors are followed in a loop instead of by recursion.
        let mut at = block;
        let mut passed = Vec::new();
        let value = loop {
            if let Some(&value) = self.held.get(&(at, register)) {
                break value;
            }
            passed.push(at);
            let predecessors = graph.flow.predecessors(at);
            let all_filled = predecessors.iter().all(|&from| self.filled.get(from as usize) == Some(&true));
            match predecessors[..] {
                [] => break body.undefined(words),
                // In unreachable code, single predecessors can form a cycle.
                _ if passed.len() > graph.flow.len() => break body.undefined(words),
                [only] if all_filled && only != at => at = only,
                _ => {
                    let phi = Node::new(OpcodeId::default(), Kind::Phi, at, 0);
                    let id = body.add_unplaced(phi, &[words]);
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

    /// Records that a block was translated completely.
    pub(super) fn fill(&mut self, block: BlockId) {
        let block = block as usize;
        if self.filled.len() <= block {
            self.filled.resize(block + 1, false);
        }
        self.filled[block] = true;
    }

    /// Completes the phis, inserts them at the start of their blocks and removes trivial phis.
    pub(super) fn finish(mut self, body: &mut Body, graph: &Graph) {
        let mut phis = Vec::new();
        while let Some((value, block, register, words)) = self.open.pop() {
            let predecessors = graph.flow.predecessors(block).to_vec();
            let args: Vec<Arg> = predecessors
                .into_iter()
                .map(|from| Arg::plain(self.read(body, graph, from, register, words)))
                .collect();
            let id = body.values[value as usize].node;
            body.nodes[id as usize].args = args;
            phis.push(id);
        }
        let mut same = trivial(body, &phis);
        for (step, node) in body.nodes.iter_mut().enumerate() {
            stop::check_at(step);
            node.reads_mut().for_each(|value| *value = same.root(*value));
        }
        phis.retain(|&id| {
            let own = body.nodes[id as usize].results[0];
            same.root(own) == own
        });
        phis.sort_unstable_by_key(|&id| (body.nodes[id as usize].block, id));
        for own in
            phis.chunk_by(|&one, &other| body.nodes[one as usize].block == body.nodes[other as usize].block)
        {
            let block = body.nodes[own[0] as usize].block;
            body.blocks[block as usize].nodes.splice(0..0, own.iter().copied());
        }
    }
}

/// Representative of each value (union-find).
struct Representatives(Vec<ValueId>);

impl Representatives {
    fn root(&mut self, value: ValueId) -> ValueId {
        let mut at = value;
        while self.0[at as usize] != at {
            let next = self.0[at as usize];
            self.0[at as usize] = self.0[next as usize];
            at = next;
        }
        at
    }
}

/// Finds trivial phis, and returns the value that represents each value. A phi whose operands are only itself and one
/// other value is trivial: it equals this value.
///
/// Phis are visited in order, in passes until a fixed point. A phi is visited again only if one of its
/// operands was replaced: the time is near linear. `flow::solve` does not apply, because replacing a phi merges
/// values instead of propagating a state along edges.
fn trivial(body: &Body, phis: &[u32]) -> Representatives {
    let mut same = Representatives((0..body.values.len() as ValueId).collect());
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); body.values.len()];
    for (at, &id) in phis.iter().enumerate() {
        for arg in &body.nodes[id as usize].args {
            users[arg.value as usize].push(at as u32);
        }
    }
    // Phis of this pass and of the next pass, by position in the visiting order.
    let mut now: BTreeSet<u32> = (0..phis.len() as u32).collect();
    let mut next: BTreeSet<u32> = BTreeSet::new();
    let mut step = 0;
    while !now.is_empty() {
        while let Some(at) = now.pop_first() {
            step += 1;
            stop::check_at(step);
            let node = &body.nodes[phis[at as usize] as usize];
            let own = node.results[0];
            if same.root(own) != own {
                continue;
            }
            let mut others = node.args.iter().map(|arg| same.root(arg.value)).filter(|&value| value != own);
            let Some(first) = others.next() else { continue };
            if !others.all(|value| value == first) {
                continue;
            }
            same.0[own as usize] = first;
            let mut own = std::mem::take(&mut users[own as usize]);
            // Phis that were already replaced remain replaced.
            own.retain(|&user| {
                let value = body.nodes[phis[user as usize] as usize].results[0];
                same.0[value as usize] == value
            });
            for &user in &own {
                if user > at {
                    now.insert(user)
                } else {
                    next.insert(user)
                };
            }
            let taken = &mut users[first as usize];
            if taken.len() < own.len() {
                let fewer = std::mem::replace(taken, own);
                taken.extend(fewer);
            } else {
                taken.extend(own);
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    same
}
