//! Instruction selection: translates nodes to SASS instructions whose register operands are webs.

mod alternative;
mod copies;
mod emitter;
mod instruction;
mod operands;
mod steps;

use super::coalescing::Webs;
use super::ir::{Arg, Body, Kind, Node, NodeId, OpcodeId, ValueId};
use super::live_ranges::LiveRanges;
use emitter::Emitter;
use instruction::{MachineInstruction, written};
use machine::Hardware;
use machine::ptx::{Expansions, Piece};
use rustc_hash::FxHashMap;
use steps::UNIFORM;
use syntax::stop;

pub(super) use instruction::Fragment;

/// Selected instructions of a function, by block.
#[derive(Debug, Default)]
pub(super) struct SelectedCode {
    pub blocks: Vec<Vec<MachineInstruction>>,
    /// Indices of the statements whose expansion is unknown.
    pub unknown: Vec<u32>,
}

/// Maximum number of instructions in a block that runs under a guard instead of being skipped by a branch. Source: a
/// guess; ptxas guards blocks of four and of seven instructions, and branches over blocks of a dozen.
const MAX_GUARDED: usize = 8;

pub(super) fn select(
    body: &Body,
    lives: &LiveRanges,
    webs: &mut Webs,
    expansions: &Expansions,
    sm: u16,
) -> SelectedCode {
    let mut values = vec![Vec::new(); webs.words.len()];
    for (value, &(web, _)) in (0..).zip(&webs.of) {
        values[web as usize].push(value);
    }
    let emitter = Emitter {
        body,
        lives,
        values,
        webs,
        expansions,
        sm,
        first_wide_addresses: Hardware::builtin().first_wide_addresses.value,
        lines: Vec::new(),
        constants: FxHashMap::default(),
        guard: None,
    };
    let mut selector = Selector {
        emitter,
        selected: SelectedCode::default(),
        uniform: UNIFORM.start,
        has_descriptor: false,
        needs_descriptor: false,
        counts: body.use_counts(),
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
    emitter: Emitter<'a>,
    selected: SelectedCode,
    uniform: u8,
    has_descriptor: bool,
    needs_descriptor: bool,
    /// Number of reads of each value.
    counts: Vec<u32>,
    /// True while a guarded node is expanded without its guard because a select instruction follows.
    runs_always: bool,
}

impl Selector<'_> {
    fn block(&mut self, block: usize) {
        self.emitter.constants.clear();
        self.emitter.guard = self.skipped_by(block);
        let nodes = self.emitter.body.blocks[block].nodes.clone();
        let mut copied = false;
        for (step, &id) in nodes.iter().enumerate() {
            stop::check_at(step);
            if matches!(self.emitter.body.nodes[id as usize].kind, Kind::Branch(_)) && !copied {
                copies::leave_block(&mut self.emitter, block);
                copied = true;
            }
            let is_left_out = matches!(self.emitter.body.nodes[id as usize].kind, Kind::Branch(_))
                && self.skipped_by(block + 1).is_some();
            if !is_left_out {
                self.node(id);
            }
        }
        if !copied {
            copies::leave_block(&mut self.emitter, block);
        }
        let lines = std::mem::take(&mut self.emitter.lines);
        self.selected.blocks.push(lines);
    }

    /// Returns the guard under which a short block runs instead of being skipped by a branch, as in ptxas
    /// code; `None` for other blocks.
    fn skipped_by(&self, block: usize) -> Option<(ValueId, bool)> {
        let own = self.emitter.body.blocks.get(block)?;
        let flow = &self.emitter.body.flow;
        let ([before], [next]) = (flow.predecessors(block as u32), flow.successors(block as u32)) else {
            return None;
        };
        if *before as usize + 1 != block || *next as usize != block + 1 {
            return None;
        }
        let last = self.emitter.body.blocks[*before as usize].nodes.last()?;
        let branch = &self.emitter.body.nodes[*last as usize];
        let (value, negated) = branch.guard.filter(|_| branch.kind == Kind::Branch(*next))?;
        let mut steps = 0;
        for &id in &own.nodes {
            let node = &self.emitter.body.nodes[id as usize];
            let is_plain = match node.kind {
                Kind::Pure(_) | Kind::Load => true,
                Kind::Effect => !node.addresses.is_empty(),
                Kind::Part(_) | Kind::Pack => continue,
                _ => false,
            };
            let row = self.emitter.body.opcode(node).expansion.as_ref()?;
            if !is_plain || node.guard.is_some() || row.steps.iter().any(|step| step.guard.is_some()) {
                return None;
            }
            steps += row.steps.len();
        }
        (steps <= MAX_GUARDED).then_some((value, !negated))
    }

    fn node(&mut self, id: NodeId) {
        let node = &self.emitter.body.nodes[id as usize];
        match node.kind {
            Kind::Constant(_) | Kind::Bank(..) | Kind::Undefined | Kind::Phi => {}
            Kind::Copy => {
                let (to, from) = (node.results[0], node.args[0].value);
                if self.emitter.webs.of[to as usize] != self.emitter.webs.of[from as usize] {
                    self.emitter.copy(to, from, node.origin);
                }
            }
            Kind::Part(at) => {
                let (to, from) = (node.results[0], node.args[0].value);
                let (web, start) = self.emitter.webs.of[from as usize];
                let own = self.emitter.webs.of[to as usize];
                if own != (web, start + at) {
                    self.emitter.copy_words(
                        own,
                        node.args[0],
                        at..at + self.emitter.body.words(to),
                        node.origin,
                    );
                }
            }
            Kind::Pack => {
                let (web, mut at) = self.emitter.webs.of[node.results[0] as usize];
                for &arg in &node.args {
                    let words = self.emitter.body.words(arg.value);
                    if self.emitter.webs.of[arg.value as usize] != (web, at) {
                        self.emitter.copy_words((web, at), arg, 0..words, node.origin);
                    }
                    at = at.saturating_add(words);
                }
            }
            Kind::Branch(target) if self.only_exits(target) => {
                self.expand(id, self.emitter.body.opcodes.exit);
            }
            _ => self.expand(id, node.opcode),
        }
    }

    /// True if the first instruction of a block exits the kernel unconditionally.
    fn only_exits(&self, block: u32) -> bool {
        self.emitter.body.blocks[block as usize].nodes.first().is_some_and(|&first| {
            let node = &self.emitter.body.nodes[first as usize];
            node.kind == Kind::Leave && node.opcode == self.emitter.body.opcodes.exit && node.guard.is_none()
        })
    }

    fn expand(&mut self, id: NodeId, opcode: OpcodeId) {
        let node = &self.emitter.body.nodes[id as usize];
        let chosen = self.select_after(node);
        for (&result, &previous) in node.results.iter().zip(&node.previous) {
            let same = self.emitter.webs.of[result as usize] == self.emitter.webs.of[previous as usize];
            if !same && self.emitter.body.node_of(previous).kind != Kind::Undefined && chosen.is_none() {
                self.emitter.copy(result, previous, node.origin);
            }
        }
        let opcode = self.emitter.body.opcodes.get(opcode);
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

    /// Returns the result, the old value and the guard of a guarded computation whose old value is still
    /// needed. The computation then runs unconditionally and a select instruction follows. `None` for other
    /// nodes.
    fn select_after(&self, node: &Node) -> Option<(ValueId, ValueId, Arg)> {
        let (&[result], &[previous]) = (&node.results[..], &node.previous[..]) else { return None };
        let is_there = self.emitter.body.node_of(previous).kind != Kind::Undefined;
        let same = self.emitter.webs.of[result as usize] == self.emitter.webs.of[previous as usize];
        let can =
            matches!(node.kind, Kind::Pure(_)) && self.emitter.body.words(result) > 0 && is_there && !same;
        can.then_some((result, previous, Arg::guard(node.guard?)))
    }

    fn choose(&mut self, result: ValueId, previous: ValueId, guard: Arg, id: NodeId) {
        let node = &self.emitter.body.nodes[id as usize];
        let mnemonic = if self.emitter.body.opcode(node).ty.is_float() { "FSEL" } else { "SEL" };
        let (web, start) = self.emitter.webs.of[result as usize];
        for word in 0..self.emitter.body.words(result) {
            let own = vec![self.emitter.place(web, start + word)];
            let previous = self.emitter.operand(Arg::plain(previous), word, true).unwrap_or_default();
            let guard = self.emitter.operand(guard, 0, true).unwrap_or_default();
            self.emitter.push(node.origin, written(mnemonic, &[own.clone(), own, previous, guard]));
        }
    }

    /// Emits a placeholder opcode for a node without a known expansion. The placeholder names the node's
    /// registers and counts as an instruction.
    fn unknown(&mut self, id: NodeId) {
        let node = &self.emitter.body.nodes[id as usize];
        self.selected.unknown.push(node.origin);
        let opcode = self.emitter.body.opcode(node).spelling.split('.').next().unwrap_or_default();
        let name: String = opcode.chars().filter(char::is_ascii_alphanumeric).collect();
        let mut pieces = vec![Fragment::Text(format!("UNKNOWN_{} ", name.to_ascii_uppercase()).into())];
        for &value in &node.results {
            let (web, word) = self.emitter.webs.of[value as usize];
            pieces.push(self.emitter.place(web, word));
            pieces.push(Fragment::text(", "));
        }
        for &arg in &node.args {
            if let Some(operand) = self.emitter.operand(arg, 0, true) {
                pieces.extend(operand);
                pieces.push(Fragment::text(", "));
            }
        }
        if pieces.len() > 1 {
            pieces.pop();
        }
        self.emitter.push(node.origin, pieces);
    }

    /// Loads the descriptor of global memory once, at the start of the function.
    fn descriptor(&mut self) {
        let Some(expansion) = self.emitter.expansions.find(".descriptor", self.emitter.sm).cloned() else {
            return;
        };
        self.has_descriptor = true;
        for step in &expansion.steps {
            let piece = |piece: &Piece| match piece {
                Piece::Text(text) => Fragment::Text(text.clone()),
                Piece::Slot(_) => Fragment::text("UR4"),
            };
            let operands: Vec<Vec<Fragment>> =
                step.operands.iter().map(|operand| operand.iter().map(piece).collect()).collect();
            if let Some(first) = self.selected.blocks.first_mut() {
                let pieces = written(&step.mnemonic, &operands);
                first.insert(0, MachineInstruction { pieces, other: None, origin: 0 });
            }
        }
    }

    /// Appends `EXIT` to a function whose code does not end with an unguarded exit, return or branch.
    fn end(&mut self) {
        let ends = |line: &MachineInstruction| matches!(line.pieces.first(), Some(Fragment::Text(text)) if matches!(&**text, "EXIT" | "RET.REL.NODEC" | "BRA"));
        let last = self.selected.blocks.iter().rev().find_map(|lines| lines.last());
        if !last.is_some_and(ends)
            && let Some(block) = self.selected.blocks.last_mut()
        {
            block.push(MachineInstruction { pieces: vec![Fragment::text("EXIT")], other: None, origin: 0 });
        }
    }
}
