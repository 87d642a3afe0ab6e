//! Values that share a register: results of a phi, parts of a vector, what a guarded instruction may leave as it was.

use super::graph::Graph;
use super::ir::{Arg, Body, Kind, NOWHERE, Node, NodeId, Value};
use super::live::Lives;

/// An index into [`Webs::words`].
pub(super) type Web = u32;

/// Which registers hold which values.
#[derive(Debug, Default)]
pub(super) struct Webs {
    /// By value: its web and the first of its words there.
    pub of: Vec<(Web, u8)>,
    /// Registers of each web in a row; 0: a predicate.
    pub words: Vec<u8>,
}

impl Webs {
    /// A web of so many registers that holds no value of the function.
    pub(super) fn new_web(&mut self, words: u8) -> Web {
        self.words.push(words);
        self.words.len() as Web - 1
    }
}

/// A phi that a loop changes keeps its old value for what follows the loop in a copy.
pub(super) fn detach(body: &mut Body, graph: &Graph) {
    let mut users: Vec<Vec<NodeId>> = vec![Vec::new(); body.values.len()];
    for block in &body.blocks {
        for &id in &block.nodes {
            for value in Body::reads(&body.nodes[id as usize]) {
                users[value as usize].push(id);
            }
        }
    }
    for header in 0..body.blocks.len() {
        let is_split = |&from: &u32| {
            graph.dominates(header as u32, from) && body.blocks[from as usize].successors.len() > 1
        };
        if !body.blocks[header].predecessors.iter().any(is_split) {
            continue;
        }
        let phis: Vec<NodeId> = body.blocks[header]
            .nodes
            .iter()
            .copied()
            .take_while(|&id| body.nodes[id as usize].kind == Kind::Phi)
            .collect();
        let mut place = phis.len();
        for id in phis {
            let value = body.nodes[id as usize].results[0];
            let is_outside = |body: &Body, user: NodeId| {
                let node = &body.nodes[user as usize];
                !graph.is_in_loop(node.block, header as u32)
            };
            let outside: Vec<NodeId> =
                users[value as usize].iter().copied().filter(|&user| is_outside(body, user)).collect();
            if outside.is_empty() {
                continue;
            }
            let words = body.words(value);
            let node =
                Node::new("", Kind::Copy, NOWHERE, body.nodes[id as usize].origin).with([Arg::plain(value)]);
            let copy = body.add(node, &[words]);
            body.nodes[copy as usize].block = header as u32;
            body.blocks[header].nodes.insert(place, copy);
            place += 1;
            let kept = body.nodes[copy as usize].results[0];
            for user in outside {
                replace(&mut body.nodes[user as usize], value, kept);
            }
        }
    }
}

fn replace(node: &mut Node, old: Value, new: Value) {
    let swap = |value: &mut Value| {
        if *value == old {
            *value = new;
        }
    };
    node.args.iter_mut().for_each(|arg| swap(&mut arg.value));
    node.previous.iter_mut().for_each(swap);
    node.addresses.iter_mut().filter_map(|address| address.base.as_mut()).for_each(swap);
    if let Some((guard, _)) = &mut node.guard {
        swap(guard);
    }
}

struct Joiner<'a> {
    body: &'a Body,
    lives: &'a Lives,
    /// By web, with the word where each starts.
    members: Vec<Vec<(Value, u8)>>,
    webs: Webs,
}

/// Puts values into webs.
pub(super) fn webs(body: &Body, lives: &Lives) -> Webs {
    let of = (0..body.values.len() as Web).map(|web| (web, 0)).collect();
    let words = body.values.iter().map(|value| value.words).collect();
    let members = (0..body.values.len() as Value).map(|value| vec![(value, 0)]).collect();
    let mut joiner = Joiner { body, lives, members, webs: Webs { of, words } };
    for block in &body.blocks {
        for &id in &block.nodes {
            joiner.parts(id);
        }
    }
    for block in &body.blocks {
        for &id in &block.nodes {
            joiner.previous(id);
            joiner.phi(id);
        }
    }
    joiner.webs
}

impl Joiner<'_> {
    fn parts(&mut self, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        let Some(&result) = node.results.first() else { return };
        match node.kind {
            Kind::Part(at) => {
                self.join(node.args[0].value, result, at);
            }
            Kind::Pack => {
                let mut at = 0_u8;
                for arg in &node.args {
                    self.join(result, arg.value, at);
                    at = at.saturating_add(self.body.words(arg.value));
                }
            }
            _ => {}
        }
    }

    fn previous(&mut self, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        for (&result, &previous) in node.results.iter().zip(&node.previous) {
            let _ = self.join(result, previous, 0) || self.join(previous, result, 0);
        }
    }

    fn phi(&mut self, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        if node.kind != Kind::Phi {
            return;
        }
        let result = node.results[0];
        for arg in node.args.iter().filter(|arg| arg.value != result) {
            let _ = self.join(result, arg.value, 0) || self.join(arg.value, result, 0);
        }
    }

    /// Puts `part` into the web of `whole`, at that word of it; false where both are wanted at once.
    fn join(&mut self, whole: Value, part: Value, at: u8) -> bool {
        let is_somewhere = |value: Value| self.body.node_of(value).block != NOWHERE;
        if !is_somewhere(whole) || !is_somewhere(part) {
            return false;
        }
        let (web, start) = self.webs.of[whole as usize];
        let (other, inner) = self.webs.of[part as usize];
        let place = i16::from(start) + i16::from(at) - i16::from(inner);
        if web == other {
            return place == 0;
        }
        // Rows grow at their end alone, so that they stay aligned.
        if place < 0 {
            return false;
        }
        let place = place as u8;
        let (width, own) = (self.webs.words[other as usize], self.webs.words[web as usize]);
        if (width == 0) != (own == 0) || place + width > own.max(width) {
            return false;
        }
        let alignment = width.next_power_of_two().max(1);
        if !place.is_multiple_of(alignment) {
            return false;
        }
        let clash = self.members[web as usize].iter().any(|&(left, from)| {
            self.members[other as usize].iter().any(|&(right, to)| {
                let to = to + place;
                let overlap =
                    from < to + self.body.words(right).max(1) && to < from + self.body.words(left).max(1);
                overlap && !self.is_same(left, from, right, to) && self.lives.meet(left, right)
            })
        });
        if clash {
            return false;
        }
        for (value, from) in std::mem::take(&mut self.members[other as usize]) {
            self.webs.of[value as usize] = (web, from + place);
            self.members[web as usize].push((value, from + place));
        }
        self.webs.words[web as usize] = own.max(place + width);
        true
    }

    /// Whether one is a part of the other, at just these words.
    fn is_same(&self, left: Value, from: u8, right: Value, to: u8) -> bool {
        let holds = |whole: Value, start: u8, part: Value, place: u8| {
            let node = self.body.node_of(part);
            let is_part =
                matches!(node.kind, Kind::Part(at) if node.args[0].value == whole && start + at == place);
            let packed = self.body.node_of(whole);
            let mut at = start;
            let is_packed = packed.kind == Kind::Pack
                && packed.args.iter().any(|arg| {
                    let here = at;
                    at = at.saturating_add(self.body.words(arg.value));
                    arg.value == part && here == place
                });
            is_part || is_packed
        };
        holds(left, from, right, to) || holds(right, to, left, from)
    }
}
