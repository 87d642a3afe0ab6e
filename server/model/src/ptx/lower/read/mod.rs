//! Statements to nodes.

mod fields;
mod moves;
mod values;

use super::facts::{Declared, Facts, Scopes, Storage, sizes, take};
use super::graph::Graph;
use super::ir::{Arg, BlockId, Body, Kind, Node, OpcodeId, Operation, Value};
use super::opcode::Opcodes;
use super::ssa::Registers;
use super::types::Type;
use super::value_numbering::ValueNumbering;
use machine::ptx::{Access, Expansions, Ptx};
use machine::{Arch, Hardware};
use moves::widening;
use std::fmt::Display;
use std::sync::Arc;
use syntax::ptx::{FunctionKind, Item, Operand, OperandKind, Statement, StatementKind, literal};
use syntax::stop;

/// Registers of the longest row that an instruction names: the accumulators of a warpgroup's product.
const MOST_WORDS: u8 = 128;

/// Reads a function's body; what cannot be read is passed over.
pub(super) fn read(item: &Item, facts: &Facts, graph: &Graph, tables: Tables<'_>) -> Body {
    let opcodes = Opcodes::new(Arc::clone(tables.expansions), tables.arch.sm);
    let mut body = Body::new(opcodes, graph.flow.clone());
    let mut reader = Reader {
        item,
        facts,
        graph,
        tables,
        body: &mut body,
        values: ValueNumbering::default(),
        registers: Registers::default(),
        scopes: Scopes::default(),
        register_count: 0,
        shared: facts.shared,
        local: 0,
        block: 0,
        origin: 0,
        is_entry: item.function().is_some_and(|function| function.kind == FunctionKind::Entry),
        reads_bank: u32::from(tables.arch.sm) < Hardware::builtin().first_loaded_parameters.value,
    };
    reader.function();
    let (registers, shared) = (std::mem::take(&mut reader.registers), reader.shared);
    body.shared = shared;
    registers.finish(&mut body, graph);
    body
}

#[derive(Clone, Copy)]
pub(super) struct Tables<'a> {
    pub ptx: &'a Ptx,
    pub expansions: &'a Arc<Expansions>,
    pub arch: &'a Arch,
}

struct Reader<'a> {
    item: &'a Item,
    facts: &'a Facts,
    graph: &'a Graph,
    tables: Tables<'a>,
    body: &'a mut Body,
    values: ValueNumbering,
    registers: Registers,
    scopes: Scopes<'a>,
    register_count: u32,
    shared: u32,
    local: u32,
    block: BlockId,
    origin: u32,
    is_entry: bool,
    /// Parameters and sizes of the launch are operands in constant bank 0, not loaded.
    reads_bank: bool,
}

impl<'a> Reader<'a> {
    fn function(&mut self) {
        self.scopes.open();
        self.parameters();
        for block in 0..self.graph.statements.len() {
            self.block = block as BlockId;
            for at in self.graph.statements[block].clone() {
                stop::check_at(at);
                self.origin = at as u32;
                let statement = &self.item.statements()[at];
                match statement.kind {
                    StatementKind::Open { .. } => self.scopes.open(),
                    StatementKind::Close { .. } => self.scopes.close(),
                    StatementKind::Variable => self.declare(statement),
                    StatementKind::Instruction { .. } => self.instruction(statement),
                    _ => {}
                }
            }
            self.registers.fill(self.block);
        }
    }

    /// A kernel's lie in constant bank 0, one after the other as in a C struct.
    fn parameters(&mut self) {
        let item = self.item;
        let Some(function) = item.function() else { return };
        let mut free = 0;
        for parameter in item.parameters(function.parameters).chain(item.parameters(function.returns)) {
            for (name, size, align) in sizes(item, &parameter) {
                let space = parameter.space().map(|token| item.token_text(token));
                if space == Some(".reg") {
                    let words = parameter
                        .ty()
                        .map_or(1, |token| Type::from_name(&item.token_text(token)[1..]).words());
                    self.declare_registers(name, words, None);
                } else {
                    let at = take(&mut free, size, align);
                    self.scopes.declare(name, Declared::Variable(Storage::Parameter(at)));
                }
            }
        }
    }

    fn declare_registers(&mut self, name: &'a str, words: u8, count: Option<u32>) {
        let first = self.register_count;
        self.register_count = first.saturating_add(count.unwrap_or(1));
        self.scopes.declare(name, Declared::Register { words, first, count });
    }

    fn declare(&mut self, statement: &Statement) {
        let item = self.item;
        let Some(variable) = item.variable(statement) else { return };
        let Some(space) = variable.space().map(|token| item.token_text(token)) else { return };
        if space == ".reg" {
            let ty = variable.ty().map_or("b32", |token| item.token_text(token).trim_start_matches('.'));
            let words = Type::from_name(ty).words();
            for declarator in variable.declarators() {
                let count = declarator.count.and_then(|token| literal::integer(item.token_text(token)));
                let count = count.and_then(|count| u32::try_from(count).ok());
                self.declare_registers(item.token_text(declarator.name), words, count);
            }
            return;
        }
        for (name, size, align) in sizes(item, &variable) {
            let place = match space {
                ".shared" | ".shared::cta" => Storage::Shared(take(&mut self.shared, size, align)),
                ".local" => Storage::Local(take(&mut self.local, size, align)),
                ".param" => {
                    // A call's arguments and results are registers.
                    self.declare_registers(name, size.div_ceil(4).clamp(1, 4) as u8, None);
                    continue;
                }
                _ => continue,
            };
            self.scopes.declare(name, Declared::Variable(place));
        }
    }

    fn instruction(&mut self, statement: &'a Statement) {
        let item = self.item;
        let Some(opcode) = item.opcode(statement) else { return };
        let words: Vec<&str> = item
            .modifiers(statement)
            .filter(|word| !self.tables.expansions.is_neutral(opcode, word))
            .collect();
        let operands: Vec<Operand<'a>> = item.operands(statement).collect();
        let guard = item.guard(statement).map(|(negated, name)| (self.register(name, 0), negated));
        match opcode {
            "mov" => self.moves(&words, &operands, guard),
            "cvta" => self.copy_as(&operands, "b64", guard),
            "cvt" if widening(&words).is_some() => self.widen(&words, &operands, guard),
            "ld" if words.first().is_some_and(|word| word.starts_with("param")) => {
                self.load_parameter(&words, &operands, guard);
            }
            "st" if words.first().is_some_and(|word| word.starts_with("param")) => {
                self.store_parameter(&words, &operands);
            }
            "bfe" | "bfi" if guard.is_none() && self.field(opcode, &words, &operands) => {}
            "bra" => self.branch(&operands, guard),
            "ret" | "exit" => self.leave(opcode, guard),
            _ => self.plain(opcode, &words, &operands, guard),
        }
    }

    fn branch(&mut self, operands: &[Operand<'a>], guard: Option<(Value, bool)>) {
        let Some(target) = operands.first().and_then(|target| self.graph.label(target.text())) else {
            return;
        };
        let opcode = self.body.opcodes.made(Operation::Branch, "");
        let node = Node { guard, ..Node::new(opcode, Kind::Branch(target), self.block, self.origin) };
        self.body.add(node, &[]);
    }

    fn leave(&mut self, opcode: &str, guard: Option<(Value, bool)>) {
        let is_return = opcode == "ret" && !self.is_entry;
        let opcode = self.body.opcodes.made(if is_return { Operation::Return } else { Operation::Exit }, "");
        let node = Node { guard, ..Node::new(opcode, Kind::Leave, self.block, self.origin) };
        self.body.add(node, &[]);
    }

    /// Any instruction that the expansions know by its spelling.
    fn plain(
        &mut self,
        opcode: &str,
        words: &[&str],
        operands: &[Operand<'a>],
        guard: Option<(Value, bool)>,
    ) {
        let ty = words.last().copied().unwrap_or("b32");
        let mut spelling = spell(opcode, words);
        let gives = self.gives(opcode, operands);
        let (results, sources) = operands.split_at(usize::from(gives).min(operands.len()));
        let mut node =
            Node { guard, ..Node::new(OpcodeId::default(), Kind::Effect, self.block, self.origin) };
        for operand in sources {
            match operand.kind() {
                OperandKind::Address => {
                    let address = self.address(operand);
                    node.addresses.push(address);
                }
                OperandKind::Missing | OperandKind::Sink | OperandKind::String | OperandKind::List => {}
                _ => {
                    let arg = self.value(operand, ty);
                    node.args.push(arg);
                }
            }
        }
        if opcode == "cp" {
            // Its size in bytes chooses the instruction.
            let size = node.args.first().and_then(|arg| self.body.constant_of(arg.value));
            if let Some(size) = size {
                spelling = format!("{spelling}.{size}");
            }
        }
        node.opcode = self.body.opcodes.spelled(&spelling);
        node.kind = self.kind(node.opcode, node.args.len());
        let targets: Vec<Target<'a>> = results.iter().flat_map(Self::targets).collect();
        self.define(node, &targets);
    }

    /// Whether the first operand is written, as the instruction's forms say.
    fn gives(&self, opcode: &str, operands: &[Operand<'a>]) -> bool {
        let forms = self.tables.ptx.instruction(opcode);
        let writes = forms.first().and_then(|form| form.operands.first());
        let is_place = operands.first().is_some_and(|first| {
            matches!(
                first.kind(),
                OperandKind::Name | OperandKind::Vector | OperandKind::Pair | OperandKind::Sink
            )
        });
        is_place && writes.is_some_and(|first| first.access != Access::Read)
    }

    /// Registers that an operand names as results.
    fn targets(operand: &Operand<'a>) -> Vec<Target<'a>> {
        if let Some((one, other)) = operand.pair() {
            return Self::targets(&one).into_iter().chain(Self::targets(&other)).collect();
        }
        match operand.kind() {
            OperandKind::Vector => vec![Target::Vector(operand.elements().map(|part| part.text()).collect())],
            OperandKind::Sink => vec![Target::Sink],
            _ => vec![Target::One(operand.text())],
        }
    }

    /// Adds a node that writes these, after simplification.
    fn define(&mut self, mut node: Node, targets: &[Target<'a>]) {
        let mut words = Vec::new();
        for target in targets {
            words.push(match target {
                Target::One(name) => self.declared(name).map_or(1, |(words, _)| words),
                Target::Vector(parts) => {
                    let all = parts.iter().map(|name| self.declared(name).map_or(1, |(words, _)| words));
                    all.fold(0, u8::saturating_add).min(MOST_WORDS)
                }
                Target::Sink => 1,
            });
        }
        if node.guard.is_some() {
            for (target, words) in targets.iter().zip(&words) {
                let previous = match target {
                    Target::One(name) => self.register(name, *words),
                    _ => self.body.undefined(*words),
                };
                node.previous.push(previous);
            }
        }
        let results = self.values.add(self.body, self.graph, node, &words);
        for (target, value) in targets.iter().zip(results) {
            match target {
                Target::One(name) => self.write(name, value),
                Target::Vector(parts) => self.take_apart(parts, value),
                Target::Sink => {}
            }
        }
    }

    fn take_apart(&mut self, parts: &[&'a str], whole: Value) {
        let mut at = 0_u8;
        for &name in parts {
            let words = self.declared(name).map_or(1, |(words, _)| words);
            if at.saturating_add(words) > MOST_WORDS {
                break;
            }
            let value = self.part(whole, at, words);
            self.write(name, value);
            at += words;
        }
    }

    fn part(&mut self, whole: Value, at: u8, words: u8) -> Value {
        let node =
            Node::new(OpcodeId::default(), Kind::Part(at), self.block, self.origin).with([Arg::plain(whole)]);
        self.values.add(self.body, self.graph, node, &[words])[0]
    }

    fn pack(&mut self, parts: Vec<Value>) -> Value {
        let words = parts.iter().map(|&part| self.body.words(part)).fold(0, u8::saturating_add);
        if parts.is_empty() || words > MOST_WORDS {
            return self.body.undefined(1);
        }
        let node = Node::new(OpcodeId::default(), Kind::Pack, self.block, self.origin)
            .with(parts.into_iter().map(Arg::plain));
        self.values.add(self.body, self.graph, node, &[words])[0]
    }

    /// The kind of an instruction with `operands` operands: with a number that its operation does not take, it is
    /// passed on unchanged.
    fn kind(&self, opcode: OpcodeId, operands: usize) -> Kind {
        match self.body.opcodes.get(opcode).kind {
            Kind::Pure(operation) if !operation.takes(operands) => Kind::Pure(Operation::Other),
            kind => kind,
        }
    }

    fn pure(&mut self, operation: Operation, ty: impl Display, args: &[Arg], words: u8) -> Value {
        let opcode = self.body.opcodes.made(operation, ty);
        let kind = self.kind(opcode, args.len());
        let node = Node::new(opcode, kind, self.block, self.origin).with(args.iter().copied());
        self.values.add(self.body, self.graph, node, &[words])[0]
    }

    fn declared(&self, name: &str) -> Option<(u8, u32)> {
        match self.scopes.find(name)? {
            Declared::Register { words, first, .. } => Some((words, first)),
            Declared::Variable(_) => None,
        }
    }

    /// Returns the value of the register of that name.
    fn register(&mut self, name: &str, words: u8) -> Value {
        match self.declared(name) {
            Some((words, register)) => {
                self.registers.read(self.body, self.graph, self.block, register, words)
            }
            None => self.body.undefined(words),
        }
    }

    fn write(&mut self, name: &str, value: Value) {
        if let Some((_, register)) = self.declared(name) {
            self.registers.write(self.block, register, value);
        }
    }
}

/// Target of an instruction's write.
enum Target<'a> {
    One(&'a str),
    Vector(Vec<&'a str>),
    Sink,
}

fn spell(opcode: &str, words: &[&str]) -> String {
    [&[opcode], words].concat().join(".")
}
