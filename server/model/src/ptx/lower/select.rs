//! Nodes to instructions of SASS, with a register of its own for each web.

use super::alternative;
use super::ir::{Address, Arg, Body, Kind, Node, NodeId, Value};
use super::operation;
use super::webs::{Web, Webs};
use machine::ptx::{Expansion, Expansions, Name, Piece, Place, Sign, Step};
use rustc_hash::FxHashMap;
use std::sync::Arc;

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
    selected: Selected,
    lines: Vec<Line>,
    /// Constants that this block has in registers.
    constants: FxHashMap<(u64, u8), Web>,
    uniform: u8,
    has_descriptor: bool,
    needs_descriptor: bool,
    /// How often each value is read.
    counts: Vec<u32>,
    /// Of the whole block: the predicate, and whether it is negated.
    guard: Option<(Value, bool)>,
    /// The node's own guard is left to what chooses behind it.
    runs_always: bool,
}

/// Temporaries of one node's expansion.
#[derive(Default)]
struct Temporaries {
    webs: FxHashMap<Name, Web>,
    uniform: FxHashMap<Name, u8>,
}

impl Selector<'_> {
    fn block(&mut self, block: usize) {
        self.constants.clear();
        self.guard = self.skipped_by(block);
        let nodes = self.body.blocks[block].nodes.clone();
        let mut copied = false;
        for &id in &nodes {
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
        let ([before], [next]) = (&own.predecessors[..], &own.successors[..]) else { return None };
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
            let row = self.expansions.of(&node.spelling, self.sm)?;
            if !is_plain || node.guard.is_some() || row.steps.iter().any(|step| step.guard.is_some()) {
                return None;
            }
            steps += row.steps.len();
        }
        (steps <= MOST_GUARDED).then_some((value, !negated))
    }

    /// What the phis of the next blocks become: copies, each as soon as its value is there and nobody wants the old one.
    fn leave_block(&mut self, block: usize) {
        let mut copies = self.copies(block);
        let mut touched = touched(&self.lines);
        let mut early: Vec<(usize, Vec<Line>)> = Vec::new();
        // A copy comes before those that write what it reads; where they stand in a ring, none comes first.
        while let Some(at) = (0..copies.len()).find(|&at| !self.is_read_later(&copies, at)) {
            let (to, from, origin) = copies.swap_remove(at);
            let start = self.lines.len();
            self.copy(to, from, origin);
            let own = self.lines.split_off(start);
            let webs = [self.webs.of[to as usize].0, self.webs.of[from as usize].0];
            let known = webs.iter().filter_map(|web| touched.get(web).copied()).max();
            let place = known.unwrap_or(start);
            touched.extend(webs.map(|web| (web, place)));
            early.push((place, own));
        }
        early.sort_by_key(|&(place, _)| place);
        let lines = std::mem::take(&mut self.lines);
        let mut early = early.into_iter().peekable();
        for (place, line) in lines.into_iter().enumerate() {
            while let Some((_, own)) = early.next_if(|&(at, _)| at <= place) {
                self.lines.extend(own);
            }
            self.lines.push(line);
        }
        self.lines.extend(early.flat_map(|(_, own)| own));
        self.turn(&copies);
    }

    /// Values and where they go at a block's end.
    fn copies(&self, block: usize) -> Vec<(Value, Value, u32)> {
        let mut copies = Vec::new();
        for &next in &self.body.blocks[block].successors {
            let next = &self.body.blocks[next as usize];
            let Some(at) = next.predecessors.iter().position(|&from| from as usize == block) else {
                continue;
            };
            for &id in &next.nodes {
                let node = &self.body.nodes[id as usize];
                if node.kind != Kind::Phi {
                    break;
                }
                let (to, from) = (node.results[0], node.args[at].value);
                let same = self.webs.of[to as usize] == self.webs.of[from as usize];
                if !same && self.body.node_of(from).kind != Kind::Undefined {
                    copies.push((to, from, node.origin));
                }
            }
        }
        copies
    }

    /// Whether another copy still reads what this one writes over.
    fn is_read_later(&self, copies: &[(Value, Value, u32)], at: usize) -> bool {
        let web = self.webs.of[copies[at].0 as usize].0;
        let others = copies.iter().enumerate().filter(|&(other, _)| other != at);
        others.into_iter().any(|(_, &(_, from, _))| self.webs.of[from as usize].0 == web)
    }

    /// Copies in a ring: by way of other registers.
    fn turn(&mut self, copies: &[(Value, Value, u32)]) {
        let mut spares = Vec::with_capacity(copies.len());
        for &(to, from, origin) in copies {
            let words = self.body.words(to);
            let spare = self.webs.new_web(words);
            for word in 0..words.max(1) {
                self.copy_word((spare, word), Arg::plain(from), word, origin);
            }
            spares.push(spare);
        }
        for (&(to, _, origin), spare) in copies.iter().zip(spares) {
            let (web, start) = self.webs.of[to as usize];
            for word in 0..self.body.words(to).max(1) {
                let (target, source) = (self.place(web, start + word), self.place(spare, word));
                self.move_word(origin, target, vec![source]);
            }
        }
    }

    fn copy(&mut self, to: Value, from: Value, origin: u32) {
        let (web, start) = self.webs.of[to as usize];
        for word in 0..self.body.words(to).max(1) {
            self.copy_word((web, start + word), Arg::plain(from), word, origin);
        }
    }

    /// One word of a value to a register.
    fn copy_word(&mut self, to: (Web, u8), from: Arg, word: u8, origin: u32) {
        let target = self.place(to.0, to.1);
        let source = self.operand(from, word, true);
        self.move_word(origin, target, source.unwrap_or_else(|| vec![Out::Text("RZ".into())]));
    }

    fn move_word(&mut self, origin: u32, target: Out, source: Vec<Out>) {
        if !matches!(target, Out::Predicate(_)) {
            return self.emit(origin, Vec::new(), "MOV", &[vec![target], source]);
        }
        let mut pieces = vec![Out::Text("PLOP3.LUT ".into()), target, Out::Text(", PT, ".into())];
        pieces.extend(source);
        pieces.push(Out::Text(", PT, PT, PT, 0x80, 0x8".into()));
        self.push(origin, pieces);
    }

    /// An instruction by its operands, with what may stand instead of it.
    fn emit(&mut self, origin: u32, guard: Vec<Out>, mnemonic: &str, operands: &[Vec<Out>]) {
        let mut pieces = guard.clone();
        pieces.push(Out::Text(mnemonic.into()));
        let mut separator = " ";
        for operand in operands {
            pieces.push(Out::Text(separator.into()));
            pieces.extend_from_slice(operand);
            separator = ", ";
        }
        let instead = alternative::instead(self.expansions, self.sm, mnemonic, operands);
        let other = instead.map(|instead| guard.into_iter().chain(instead).collect());
        self.push(origin, pieces);
        if let Some(last) = self.lines.last_mut().filter(|_| self.guard.is_none()) {
            last.other = other;
        }
    }

    fn push(&mut self, origin: u32, mut pieces: Vec<Out>) {
        let is_guarded = matches!(pieces.first(), Some(Out::Text(text)) if text.starts_with('@'));
        if let Some((value, negated)) = self.guard.filter(|_| !is_guarded) {
            let sign = Sign { not: negated, ..Sign::default() };
            if let Some(register) = self.operand(Arg { value, sign }, 0, true) {
                let before = std::iter::once(Out::Text("@".into())).chain(register);
                pieces.splice(0..0, before.chain(std::iter::once(Out::Text(" ".into()))));
            }
        }
        self.lines.push(Line { pieces, other: None, origin });
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
                if self.webs.of[to as usize] != (web, start + at) {
                    let (own, first) = self.webs.of[to as usize];
                    for word in 0..self.body.words(to) {
                        self.copy_word((own, first + word), node.args[0], at + word, node.origin);
                    }
                }
            }
            Kind::Pack => {
                let (web, mut at) = self.webs.of[node.results[0] as usize];
                for &arg in &node.args {
                    if self.webs.of[arg.value as usize] != (web, at) {
                        for word in 0..self.body.words(arg.value) {
                            self.copy_word((web, at + word), arg, word, node.origin);
                        }
                    }
                    at = at.saturating_add(self.body.words(arg.value));
                }
            }
            Kind::Branch(target) if self.only_exits(target) => self.expand(id, "exit"),
            _ => self.expand(id, &node.spelling),
        }
    }

    /// A block that ends the kernel at once.
    fn only_exits(&self, block: u32) -> bool {
        self.body.blocks[block as usize].nodes.first().is_some_and(|&first| {
            let node = &self.body.nodes[first as usize];
            node.kind == Kind::Leave && &*node.spelling == "exit" && node.guard.is_none()
        })
    }

    fn expand(&mut self, id: NodeId, spelling: &str) {
        let node = &self.body.nodes[id as usize];
        let chosen = self.chosen_behind(node);
        for (&result, &previous) in node.results.iter().zip(&node.previous) {
            let same = self.webs.of[result as usize] == self.webs.of[previous as usize];
            if !same && self.body.node_of(previous).kind != Kind::Undefined && chosen.is_none() {
                self.copy(result, previous, node.origin);
            }
        }
        // An atomic operation whose old value nobody reads only reduces.
        let reduces = spelling
            .strip_prefix("atom.")
            .filter(|_| node.results.first().is_some_and(|&value| self.counts[value as usize] == 0));
        let reduction = reduces.and_then(|rest| self.expansions.of(&format!("red.{rest}"), self.sm));
        match reduction.or_else(|| self.expansions.of(spelling, self.sm)).cloned() {
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

    /// Of a guarded computation whose old result is still wanted elsewhere: the result, what it was, and the guard. It is computed
    /// always, and chosen behind.
    fn chosen_behind(&self, node: &Node) -> Option<(Value, Value, Arg)> {
        let (value, negated) = node.guard?;
        let (&[result], &[previous]) = (&node.results[..], &node.previous[..]) else { return None };
        let is_there = self.body.node_of(previous).kind != Kind::Undefined;
        let same = self.webs.of[result as usize] == self.webs.of[previous as usize];
        let can = matches!(node.kind, Kind::Pure(_)) && self.body.words(result) > 0 && is_there && !same;
        can.then_some((result, previous, Arg { value, sign: Sign { not: negated, ..Sign::default() } }))
    }

    fn choose(&mut self, result: Value, previous: Value, guard: Arg, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        let mnemonic = if operation::is_float(node.ty()) { "FSEL " } else { "SEL " };
        let (web, start) = self.webs.of[result as usize];
        for word in 0..self.body.words(result) {
            let own = self.place(web, start + word);
            let mut pieces = vec![
                Out::Text(mnemonic.into()),
                own.clone(),
                Out::Text(", ".into()),
                own,
                Out::Text(", ".into()),
            ];
            pieces.extend(self.operand(Arg::plain(previous), word, true).unwrap_or_default());
            pieces.push(Out::Text(", ".into()));
            pieces.extend(self.operand(guard, 0, true).unwrap_or_default());
            self.push(node.origin, pieces);
        }
    }

    /// An opcode of its own, so that it is seen and counted; its registers are known all the same.
    fn unknown(&mut self, id: NodeId) {
        let node = &self.body.nodes[id as usize];
        self.selected.unknown.push(node.origin);
        let opcode = node.spelling.split('.').next().unwrap_or_default();
        let name: String = opcode.chars().filter(char::is_ascii_alphanumeric).collect();
        let mut pieces = vec![Out::Text(format!("UNKNOWN_{} ", name.to_ascii_uppercase()).into())];
        for &value in &node.results {
            let (web, word) = self.webs.of[value as usize];
            pieces.push(self.place(web, word));
            pieces.push(Out::Text(", ".into()));
        }
        for &arg in &node.args {
            if let Some(operand) = self.operand(arg, 0, true) {
                pieces.extend(operand);
                pieces.push(Out::Text(", ".into()));
            }
        }
        if pieces.len() > 1 {
            pieces.pop();
        }
        self.push(node.origin, pieces);
    }

    fn steps(&mut self, id: NodeId, expansion: &Arc<Expansion>) {
        let mut temporaries = Temporaries::default();
        for step in &expansion.steps {
            self.step(id, step, &mut temporaries);
        }
    }

    fn step(&mut self, id: NodeId, step: &Step, temporaries: &mut Temporaries) {
        let node = &self.body.nodes[id as usize];
        let origin = node.origin;
        let mut guard = Vec::new();
        if let Some((slot, negated)) = step.guard {
            let register = self.slot(id, slot, temporaries, true, step);
            guard.push(Out::Text(if negated { "@!".into() } else { "@".into() }));
            guard.extend(register);
            guard.push(Out::Text(" ".into()));
        } else if let Some((value, negated)) = node.guard.filter(|_| !self.runs_always) {
            let sign = Sign { not: negated, ..Sign::default() };
            if let Some(register) = self.operand(Arg { value, sign }, 0, true) {
                guard.push(Out::Text("@".into()));
                guard.extend(register);
                guard.push(Out::Text(" ".into()));
            }
        }
        let reads = sources(step);
        let is_memory = step
            .operands
            .iter()
            .flatten()
            .any(|piece| matches!(piece, Piece::Slot(Place { name: Name::Address(_), .. })));
        let mut immediates = 0;
        let mut operands = Vec::with_capacity(step.operands.len());
        for (at, operand) in step.operands.iter().enumerate() {
            let mut pieces = Vec::new();
            for piece in operand {
                match piece {
                    Piece::Text(text) => pieces.push(Out::Text(text.clone())),
                    Piece::Slot(slot) => {
                        let is_field = is_field(step, at);
                        let may_be_constant = is_field
                            || !is_memory
                                && immediates == 0
                                && (reads.len() == 1 || reads.first() != Some(&at));
                        let own = self.slot(id, *slot, temporaries, may_be_constant, step);
                        let is_constant = own.iter().all(|piece| matches!(piece, Out::Text(text) if !matches!(&**text, "RZ" | "PT" | "!PT")));
                        immediates += u32::from(is_constant && !is_field);
                        pieces.extend(own);
                    }
                }
            }
            operands.push(pieces);
        }
        self.emit(origin, guard, &step.mnemonic, &operands);
    }

    fn slot(
        &mut self,
        id: NodeId,
        slot: Place,
        temporaries: &mut Temporaries,
        constant: bool,
        step: &Step,
    ) -> Vec<Out> {
        let node = &self.body.nodes[id as usize];
        let high = u8::from(slot.high);
        match slot.name {
            Name::Result(at) => match node.results.get(usize::from(at)) {
                Some(&value) => {
                    let (web, word) = self.webs.of[value as usize];
                    signed(slot.sign, vec![self.place(web, word + high)])
                }
                None => vec![Out::Text(if at == 0 { "RZ".into() } else { "PT".into() })],
            },
            Name::Read(at) => {
                let Some(&arg) = node.args.get(usize::from(at)) else { return vec![Out::Text("RZ".into())] };
                let arg = Arg { sign: joined(arg.sign, slot.sign), ..arg };
                self.read(arg, high, constant, step)
            }
            Name::Address(at) => {
                let address = node.addresses.get(usize::from(at)).copied();
                self.address(address.unwrap_or(Address { base: None, offset: 0, bank: None }), high)
            }
            Name::Word(_) | Name::Pair(_) | Name::Predicate(_) => {
                let words = match slot.name {
                    Name::Word(_) => 1,
                    Name::Pair(_) => 2,
                    _ => 0,
                };
                let webs = &mut *self.webs;
                let web = *temporaries.webs.entry(slot.name).or_insert_with(|| webs.new_web(words));
                signed(slot.sign, vec![self.place(web, high)])
            }
            Name::Uniform(_) | Name::UniformPredicate(_) => {
                let uniform = &mut self.uniform;
                let number = *temporaries.uniform.entry(slot.name).or_insert_with(|| {
                    let number = *uniform;
                    *uniform = if number + 1 < UNIFORM.end { number + 1 } else { UNIFORM.start };
                    number
                });
                let file = if matches!(slot.name, Name::Uniform(_)) { "UR" } else { "UP" };
                let number = if file == "UP" { number % 7 } else { number };
                vec![Out::Text(format!("{file}{number}").into())]
            }
            Name::Descriptor => {
                self.needs_descriptor |= !self.has_descriptor;
                vec![Out::Text("UR4".into())]
            }
            Name::Target => match node.kind {
                Kind::Branch(block) => vec![Out::Block(block)],
                _ => vec![Out::Text("0x0".into())],
            },
        }
    }

    /// An operand that an instruction reads, in a register where it takes no constant there.
    fn read(&mut self, arg: Arg, word: u8, constant: bool, step: &Step) -> Vec<Out> {
        let is_float = step.mnemonic.starts_with(['F', 'D']) && !step.mnemonic.starts_with("FLO");
        let is_double = step.mnemonic.starts_with('D') && !step.mnemonic.starts_with("DEPBAR");
        if let Kind::Constant(bits) = self.body.node_of(arg.value).kind
            && self.body.words(arg.value) > 0
            && bits != 0
            && (is_float || arg.sign != Sign::default())
        {
            let own = if is_double { bits } else { bits >> (32 * word) & 0xffff_ffff };
            if constant && (!is_double || own.trailing_zeros() >= 32) {
                return vec![Out::Text(number(own, arg.sign, is_float, is_double).into())];
            }
            return signed(arg.sign, self.in_register(arg.value, word));
        }
        match self.operand(arg, word, constant) {
            Some(own) => own,
            None => signed(arg.sign, self.in_register(arg.value, word)),
        }
    }

    /// A value as an operand; `None` where it is a constant and none may stand there.
    fn operand(&self, arg: Arg, word: u8, constant: bool) -> Option<Vec<Out>> {
        let words = self.body.words(arg.value);
        let text = |text: &str| Some(vec![Out::Text(text.into())]);
        match self.body.node_of(arg.value).kind {
            Kind::Constant(bits) if words == 0 => text(if (bits != 0) ^ arg.sign.not { "PT" } else { "!PT" }),
            Kind::Undefined if words == 0 => text("PT"),
            Kind::Undefined => text("RZ"),
            Kind::Constant(bits) => {
                let own = bits >> (32 * u32::from(word).min(1)) & 0xffff_ffff;
                if own == 0 {
                    return text("RZ");
                }
                constant.then(|| vec![Out::Text(format!("{own:#x}").into())])
            }
            Kind::Bank(bank, at) => {
                let at = at.wrapping_add(4 * u32::from(word));
                constant.then(|| signed(arg.sign, vec![Out::Text(format!("c[{bank:#x}][{at:#x}]").into())]))
            }
            _ => {
                let (web, start) = self.webs.of[arg.value as usize];
                Some(signed(arg.sign, vec![self.place(web, start + word)]))
            }
        }
    }

    /// A constant in a register, which the block has once.
    fn in_register(&mut self, value: Value, word: u8) -> Vec<Out> {
        let words = self.body.words(value);
        let key = match self.body.node_of(value).kind {
            Kind::Constant(bits) => (bits, words),
            Kind::Bank(bank, at) => (u64::from(bank) << 32 | u64::from(at), words | 0x80),
            _ => (u64::from(value), 0x40),
        };
        if let Some(&web) = self.constants.get(&key) {
            return vec![self.place(web, word)];
        }
        let web = self.webs.new_web(words);
        let origin = self.lines.last().map_or(0, |line| line.origin);
        for word in 0..words {
            self.copy_word((web, word), Arg::plain(value), word, origin);
        }
        self.constants.insert(key, web);
        vec![self.place(web, word)]
    }

    /// What stands in an address's brackets; of a constant bank the whole operand.
    fn address(&mut self, address: Address, high: u8) -> Vec<Out> {
        let mut pieces = Vec::new();
        let offset = address.offset.wrapping_add(4 * i64::from(high));
        if let Some(bank) = address.bank {
            pieces.push(Out::Text(format!("c[{bank:#x}][").into()));
        }
        if let Some(base) = address.base {
            let is_wide = self.body.words(base) == 2;
            let register = match self.operand(Arg::plain(base), 0, false) {
                Some(own) => own,
                None => self.in_register(base, 0),
            };
            pieces.extend(register);
            if is_wide && self.sm >= 80 && address.bank.is_none() {
                pieces.push(Out::Text(".64".into()));
            }
        }
        if offset != 0 || address.base.is_none() {
            let plus = if address.base.is_some() { "+" } else { "" };
            let sign = if offset < 0 { "-" } else { "" };
            pieces.push(Out::Text(format!("{plus}{sign}{:#x}", offset.unsigned_abs()).into()));
        }
        if address.bank.is_some() {
            pieces.push(Out::Text("]".into()));
        }
        pieces
    }

    /// What describes global memory is read once, at the start.
    fn descriptor(&mut self) {
        let Some(expansion) = self.expansions.of(".descriptor", self.sm).cloned() else { return };
        self.has_descriptor = true;
        for step in &expansion.steps {
            let operands: String = step
                .operands
                .iter()
                .map(|operand| {
                    let pieces = operand.iter().map(|piece| match piece {
                        Piece::Text(text) => text.to_string(),
                        Piece::Slot(_) => "UR4".to_owned(),
                    });
                    pieces.collect::<String>()
                })
                .collect::<Vec<_>>()
                .join(", ");
            let line = Line {
                pieces: vec![Out::Text(format!("{} {operands}", step.mnemonic).into())],
                other: None,
                origin: 0,
            };
            if let Some(first) = self.selected.blocks.first_mut() {
                first.insert(0, line);
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
            block.push(Line { pieces: vec![Out::Text("EXIT".into())], other: None, origin: 0 });
        }
    }
}

/// Of every web the place behind the last line that names it.
fn touched(lines: &[Line]) -> FxHashMap<Web, usize> {
    let mut touched = FxHashMap::default();
    for (at, line) in lines.iter().enumerate() {
        for piece in &line.pieces {
            if let Out::General(web, _) | Out::Predicate(web) = piece {
                touched.insert(*web, at + 1);
            }
        }
    }
    touched
}

/// Where a step's operands are read, results aside.
fn sources(step: &Step) -> Vec<usize> {
    let is_result = |at: usize, operand: &[Piece]| {
        let names_result = matches!(operand.first(), Some(Piece::Slot(Place { name: Name::Result(_), .. })));
        let is_temporary = matches!(
            operand,
            [Piece::Slot(Place {
                name: Name::Word(_) | Name::Pair(_) | Name::Predicate(_) | Name::Uniform(_),
                ..
            })]
        );
        names_result || at == 0 && is_temporary
    };
    let operands = step.operands.iter().enumerate();
    operands
        .filter(|(at, operand)| {
            let reads = operand.iter().any(|piece| match piece {
                Piece::Slot(_) => true,
                Piece::Text(text) => matches!(&**text, "RZ" | "-RZ"),
            });
            reads && !is_result(*at, operand)
        })
        .map(|(at, _)| at)
        .collect()
}

/// Operands that hold a number in the instruction itself, whatever else it reads.
fn is_field(step: &Step, at: usize) -> bool {
    match step.mnemonic.split('.').next().unwrap_or_default() {
        "LOP3" | "LEA" => at + 2 >= step.operands.len() && at >= 3,
        "SHFL" => at >= 3,
        "BAR" | "DEPBAR" | "NANOSLEEP" | "WARPSYNC" => true,
        _ => false,
    }
}

/// The sign of what a sign is already before.
fn joined(inner: Sign, outer: Sign) -> Sign {
    if outer.absolute {
        return Sign { minus: outer.minus, not: outer.not, absolute: true };
    }
    Sign { minus: inner.minus ^ outer.minus, not: inner.not ^ outer.not, absolute: inner.absolute }
}

fn signed(sign: Sign, own: Vec<Out>) -> Vec<Out> {
    let is_predicate = matches!(own.first(), Some(Out::Predicate(_)));
    let mut before = String::new();
    if sign.minus {
        before.push('-');
    }
    if sign.not {
        before.push(if is_predicate { '!' } else { '~' });
    }
    if sign.absolute {
        before.push('|');
    }
    if before.is_empty() {
        return own;
    }
    let mut pieces = vec![Out::Text(before.into())];
    pieces.extend(own);
    if sign.absolute {
        pieces.push(Out::Text("|".into()));
    }
    pieces
}

/// A constant as a disassembler prints it.
fn number(bits: u64, sign: Sign, is_float: bool, is_double: bool) -> String {
    if is_float {
        let value = if is_double { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) };
        let value = if sign.absolute { value.abs() } else { value };
        let value = if sign.minus { -value } else { value };
        if value.is_nan() {
            return "+QNAN".to_owned();
        }
        if value.is_infinite() {
            return if value > 0.0 { "+INF".to_owned() } else { "-INF".to_owned() };
        }
        return format!("{value}");
    }
    let mut word = bits as u32;
    if sign.not {
        word = !word;
    }
    if sign.minus {
        word = word.wrapping_neg();
    }
    format!("{word:#x}")
}

/// True where an expansion's later steps read operands again, so that its result needs a register of its own.
pub(super) fn reads_on(expansions: &Expansions, sm: u16, spelling: &str) -> bool {
    expansions.of(spelling, sm).is_some_and(|row| row.steps.len() > 1)
}
