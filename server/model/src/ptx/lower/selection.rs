//! Nodes to instructions of SASS, with a register of its own for each web.

mod alternative;
mod copies;
mod operands;
mod steps;

use super::coalescing::{Web, Webs};
use super::ir::{Arg, Body, Kind, Node, NodeId, OpcodeId, Value};
use machine::Hardware;
use machine::ptx::{Expansions, Piece};
use rustc_hash::FxHashMap;
use syntax::stop;

/// An instruction of SASS.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub pieces: Vec<Out>,
    /// The same on another pipe.
    pub other: Option<Vec<Out>>,
    /// The statement of PTX that it is for.
    pub origin: u32,
}

/// A piece of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Out {
    Text(Box<str>),
    General(Web, u8),
    Predicate(Web),
    /// The address of a block's first instruction.
    Block(u32),
}

impl Out {
    fn text(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// An instruction by its operands.
fn written(mnemonic: &str, operands: &[Vec<Out>]) -> Vec<Out> {
    let mut pieces = vec![Out::text(mnemonic)];
    let mut separator = " ";
    for operand in operands {
        pieces.push(Out::text(separator));
        pieces.extend_from_slice(operand);
        separator = ", ";
    }
    pieces
}

/// A function's instructions, block by block.
#[derive(Debug, Default)]
pub(super) struct Selected {
    pub blocks: Vec<Vec<Line>>,
    /// Statements whose expansion is not known.
    pub unknown: Vec<u32>,
}

/// Uniform registers that temporaries take in turn: the first ones describe memory.
const UNIFORM: std::ops::Range<u8> = 6..62;

/// Instructions of a block that run under a guard rather than being jumped over. Source: a guess; ptxas guarded blocks of four
/// and of seven, and jumped over ones of a dozen.
const MOST_GUARDED: usize = 8;

pub(super) fn select(body: &Body, webs: &mut Webs, expansions: &Expansions, sm: u16) -> Selected {
    let mut selector = Selector {
        body,
        webs,
        expansions,
        sm,
        first_wide_addresses: Hardware::builtin().first_wide_addresses.value,
        selected: Selected::default(),
        lines: Vec::new(),
        constants: FxHashMap::default(),
        uniform: UNIFORM.start,
        has_descriptor: false,
        needs_descriptor: false,
        counts: body.use_counts(),
        guard: None,
        runs_always: false,
    };
    for block in 0..body.blocks.len() {
        selector.block(block);
    }
    if selector.needs_descriptor {
        selector.descriptor();
    }
    selector.end();
    selector.selected
}

struct Selector<'a> {
    body: &'a Body,
    webs: &'a mut Webs,
    expansions: &'a Expansions,
    sm: u16,
    /// The first architecture whose addresses say that they are 64 bits wide.
    first_wide_addresses: u32,
    selected: Selected,
    lines: Vec<Line>,
    /// Constants that this block has in registers.
    constants: FxHashMap<(u64, u8), Web>,
    uniform: u8,
    has_descriptor: bool,
    needs_descriptor: bool,
    /// Number of reads of each value.
    counts: Vec<u32>,
    /// Guard of the whole block: the predicate, and whether it is negated.
    guard: Option<(Value, bool)>,
    /// The node's own guard is left to the select after it.
    runs_always: bool,
}

impl Selector<'_> {
    fn block(&mut self, block: usize) {
        self.constants.clear();
        self.guard = self.skipped_by(block);
        let nodes = self.body.blocks[block].nodes.clone();
        let mut copied = false;
        for (step, &id) in nodes.iter().enumerate() {
            stop::check_at(step);
            if matches!(self.body.nodes[id as usize].kind, Kind::Branch(_)) && !copied {
                self.leave_block(block);
                copied = true;
            }
            let is_left_out = matches!(self.body.nodes[id as usize].kind, Kind::Branch(_))
                && self.skipped_by(block + 1).is_some();
            if !is_left_out {
                self.node(id);
            }
        }
        if !copied {
            self.leave_block(block);
        }
        let lines = std::mem::take(&mut self.lines);
        self.selected.blocks.push(lines);
    }

    /// The guard under which a short block runs that the branch before it would jump over: what ptxas does, too.
    fn skipped_by(&self, block: usize) -> Option<(Value, bool)> {
        let own = self.body.blocks.get(block)?;
        let flow = &self.body.flow;
        let ([before], [next]) = (flow.predecessors(block as u32), flow.successors(block as u32)) else {
            return None;
        };
        if *before as usize + 1 != block || *next as usize != block + 1 {
            return None;
        }
        let last = self.body.blocks[*before as usize].nodes.last()?;
        let branch = &self.body.nodes[*last as usize];
        let (value, negated) = branch.guard.filter(|_| branch.kind == Kind::Branch(*next))?;
        let mut steps = 0;
        for &id in &own.nodes {
            let node = &self.body.nodes[id as usize];
            let is_plain = match node.kind {
                Kind::Pure(_) | Kind::Load => true,
                Kind::Effect => !node.addresses.is_empty(),
                Kind::Part(_) | Kind::Pack => continue,
                _ => false,
            };
            let row = self.body.opcode(node).expansion.as_ref()?;
            if !is_plain || node.guard.is_some() || row.steps.iter().any(|step| step.guard.is_some()) {
                return None;
            }
            steps += row.steps.len();
        }
        (steps <= MOST_GUARDED).then_some((value, !negated))
    }

    /// Emits an instruction with its operands, and another that may replace it.
    fn emit(&mut self, origin: u32, guard: Vec<Out>, mnemonic: &str, operands: &[Vec<Out>]) {
        let mut pieces = guard.clone();
        pieces.extend(written(mnemonic, operands));
        let instead = alternative::instead(self.expansions, self.sm, mnemonic, operands);
        let other = instead.map(|instead| guard.into_iter().chain(instead).collect());
        self.push(origin, pieces);
        if let Some(last) = self.lines.last_mut().filter(|_| self.guard.is_none()) {
            last.other = other;
        }
    }

    fn push(&mut self, origin: u32, mut pieces: Vec<Out>) {
        let is_guarded = matches!(pieces.first(), Some(Out::Text(text)) if text.starts_with('@'));
        if let Some(guard) = self.guard.filter(|_| !is_guarded) {
            pieces.splice(0..0, self.guarded(guard));
        }
        self.lines.push(Line { pieces, other: None, origin });
    }

    /// The text before an instruction under a guard.
    fn guarded(&self, guard: (Value, bool)) -> Vec<Out> {
        let register = self.operand(Arg::guard(guard), 0, true).unwrap_or_default();
        [Out::text("@")].into_iter().chain(register).chain([Out::text(" ")]).collect()
    }

    fn place(&self, web: Web, word: u8) -> Out {
        if self.webs.words[web as usize] == 0 { Out::Predicate(web) } else { Out::General(web, word) }
    }

    fn node(&mut self, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        match node.kind {
            Kind::Constant(_) | Kind::Bank(..) | Kind::Undefined | Kind::Phi => {}
            Kind::Copy => {
                let (to, from) = (node.results[0], node.args[0].value);
                if self.webs.of[to as usize] != self.webs.of[from as usize] {
                    self.copy(to, from, node.origin);
                }
            }
            Kind::Part(at) => {
                let (to, from) = (node.results[0], node.args[0].value);
                let (web, start) = self.webs.of[from as usize];
                let own = self.webs.of[to as usize];
                if own != (web, start + at) {
                    self.copy_words(own, node.args[0], at..at + self.body.words(to), node.origin);
                }
            }
            Kind::Pack => {
                let (web, mut at) = self.webs.of[node.results[0] as usize];
                for &arg in &node.args {
                    let words = self.body.words(arg.value);
                    if self.webs.of[arg.value as usize] != (web, at) {
                        self.copy_words((web, at), arg, 0..words, node.origin);
                    }
                    at = at.saturating_add(words);
                }
            }
            Kind::Branch(target) if self.only_exits(target) => self.expand(id, self.body.opcodes.exit),
            _ => self.expand(id, node.opcode),
        }
    }

    /// A block that ends the kernel at once.
    fn only_exits(&self, block: u32) -> bool {
        self.body.blocks[block as usize].nodes.first().is_some_and(|&first| {
            let node = &self.body.nodes[first as usize];
            node.kind == Kind::Leave && node.opcode == self.body.opcodes.exit && node.guard.is_none()
        })
    }

    fn expand(&mut self, id: NodeId, opcode: OpcodeId) {
        let node = &self.body.nodes[id as usize];
        let chosen = self.chosen_behind(node);
        for (&result, &previous) in node.results.iter().zip(&node.previous) {
            let same = self.webs.of[result as usize] == self.webs.of[previous as usize];
            if !same && self.body.node_of(previous).kind != Kind::Undefined && chosen.is_none() {
                self.copy(result, previous, node.origin);
            }
        }
        let opcode = self.body.opcodes.get(opcode);
        let is_unread = node.results.first().is_some_and(|&value| self.counts[value as usize] == 0);
        let reduction = opcode.reduction.as_ref().filter(|_| is_unread);
        match reduction.or(opcode.expansion.as_ref()).cloned() {
            Some(expansion) => {
                self.runs_always = chosen.is_some();
                self.steps(id, &expansion);
                self.runs_always = false;
            }
            None => self.unknown(id),
        }
        if let Some((result, previous, guard)) = chosen {
            self.choose(result, previous, guard, id);
        }
    }

    /// Returns the result, its old value and the guard of a guarded computation whose old result is still wanted
    /// elsewhere. It is computed unconditionally and selected afterwards.
    fn chosen_behind(&self, node: &Node) -> Option<(Value, Value, Arg)> {
        let (&[result], &[previous]) = (&node.results[..], &node.previous[..]) else { return None };
        let is_there = self.body.node_of(previous).kind != Kind::Undefined;
        let same = self.webs.of[result as usize] == self.webs.of[previous as usize];
        let can = matches!(node.kind, Kind::Pure(_)) && self.body.words(result) > 0 && is_there && !same;
        can.then_some((result, previous, Arg::guard(node.guard?)))
    }

    fn choose(&mut self, result: Value, previous: Value, guard: Arg, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        let mnemonic = if self.body.opcode(node).ty.is_float() { "FSEL" } else { "SEL" };
        let (web, start) = self.webs.of[result as usize];
        for word in 0..self.body.words(result) {
            let own = vec![self.place(web, start + word)];
            let previous = self.operand(Arg::plain(previous), word, true).unwrap_or_default();
            let guard = self.operand(guard, 0, true).unwrap_or_default();
            self.push(node.origin, written(mnemonic, &[own.clone(), own, previous, guard]));
        }
    }

    /// An opcode of its own, so that it is seen and counted; its registers are known all the same.
    fn unknown(&mut self, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        self.selected.unknown.push(node.origin);
        let opcode = self.body.opcode(node).spelling.split('.').next().unwrap_or_default();
        let name: String = opcode.chars().filter(char::is_ascii_alphanumeric).collect();
        let mut pieces = vec![Out::Text(format!("UNKNOWN_{} ", name.to_ascii_uppercase()).into())];
        for &value in &node.results {
            let (web, word) = self.webs.of[value as usize];
            pieces.push(self.place(web, word));
            pieces.push(Out::text(", "));
        }
        for &arg in &node.args {
            if let Some(operand) = self.operand(arg, 0, true) {
                pieces.extend(operand);
                pieces.push(Out::text(", "));
            }
        }
        if pieces.len() > 1 {
            pieces.pop();
        }
        self.push(node.origin, pieces);
    }

    /// Reads the descriptor of global memory once, at the start.
    fn descriptor(&mut self) {
        let Some(expansion) = self.expansions.find(".descriptor", self.sm).cloned() else { return };
        self.has_descriptor = true;
        for step in &expansion.steps {
            let piece = |piece: &Piece| match piece {
                Piece::Text(text) => Out::Text(text.clone()),
                Piece::Slot(_) => Out::text("UR4"),
            };
            let operands: Vec<Vec<Out>> =
                step.operands.iter().map(|operand| operand.iter().map(piece).collect()).collect();
            if let Some(first) = self.selected.blocks.first_mut() {
                let pieces = written(&step.mnemonic, &operands);
                first.insert(0, Line { pieces, other: None, origin: 0 });
            }
        }
    }

    /// A function that does not end in the text ends all the same.
    fn end(&mut self) {
        let ends = |line: &Line| matches!(line.pieces.first(), Some(Out::Text(text)) if matches!(&**text, "EXIT" | "RET.REL.NODEC" | "BRA"));
        let last = self.selected.blocks.iter().rev().find_map(|lines| lines.last());
        if !last.is_some_and(ends)
            && let Some(block) = self.selected.blocks.last_mut()
        {
            block.push(Line { pieces: vec![Out::text("EXIT")], other: None, origin: 0 });
        }
    }
}
