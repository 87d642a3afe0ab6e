//! Adds nodes one by one, with value numbering, and records the value of each PTX register.

use crate::ptx::lower::facts::{Declaration, Facts, Scopes};
use crate::ptx::lower::graph::Graph;
use crate::ptx::lower::ir::{Arg, BlockId, Body, Kind, Node, OpcodeId, Operation, ValueId};
use crate::ptx::lower::ssa::RegisterValues;
use crate::ptx::lower::value_numbering::ValueNumbering;
use machine::Arch;
use machine::ptx::{Expansions, Ptx};
use std::fmt::Display;
use std::sync::Arc;
use syntax::ptx::{Item, Operand, OperandKind};

/// Maximum number of consecutive registers that an instruction names.
const MAX_WORDS: u8 = 128; // limit: the accumulators of a warpgroup's product

#[derive(Clone, Copy)]
pub(in crate::ptx::lower) struct Tables<'a> {
    pub ptx: &'a Ptx,
    pub expansions: &'a Arc<Expansions>,
    pub arch: &'a Arch,
}

/// State of the translation: the nodes so far, and the position of the next node.
pub(super) struct Builder<'a> {
    pub item: &'a Item,
    pub facts: &'a Facts,
    pub graph: &'a Graph,
    pub tables: Tables<'a>,
    pub body: &'a mut Body,
    pub values: ValueNumbering,
    pub registers: RegisterValues,
    pub scopes: Scopes<'a>,
    pub block: BlockId,
    /// Index of the statement that the next node is generated from.
    pub origin: u32,
    pub is_entry: bool,
    /// True if kernel parameters and launch dimensions are operands in constant bank 0. If false, they are
    /// loaded.
    pub reads_bank: bool,
}

impl<'a> Builder<'a> {
    /// Adds a node with value numbering, and writes its results to the targets.
    pub(super) fn define(&mut self, mut node: Node, targets: &[Target<'a>]) {
        let mut words = Vec::new();
        for target in targets {
            words.push(match target {
                Target::One(name) => self.declared(name).map_or(1, |(words, _)| words),
                Target::Vector(parts) => {
                    let all = parts.iter().map(|name| self.declared(name).map_or(1, |(words, _)| words));
                    all.fold(0, u8::saturating_add).min(MAX_WORDS)
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

    pub(super) fn take_apart(&mut self, parts: &[&'a str], whole: ValueId) {
        let mut at = 0_u8;
        for &name in parts {
            let words = self.declared(name).map_or(1, |(words, _)| words);
            if at.saturating_add(words) > MAX_WORDS {
                break;
            }
            let value = self.part(whole, at, words);
            self.write(name, value);
            at += words;
        }
    }

    pub(super) fn part(&mut self, whole: ValueId, at: u8, words: u8) -> ValueId {
        let node =
            Node::new(OpcodeId::default(), Kind::Part(at), self.block, self.origin).with([Arg::plain(whole)]);
        self.values.add(self.body, self.graph, node, &[words])[0]
    }

    pub(super) fn pack(&mut self, parts: Vec<ValueId>) -> ValueId {
        let words = parts.iter().map(|&part| self.body.words(part)).fold(0, u8::saturating_add);
        if parts.is_empty() || words > MAX_WORDS {
            return self.body.undefined(1);
        }
        let node = Node::new(OpcodeId::default(), Kind::Pack, self.block, self.origin)
            .with(parts.into_iter().map(Arg::plain));
        self.values.add(self.body, self.graph, node, &[words])[0]
    }

    /// Returns the kind of an instruction with `operands` operands. If the operation does not accept this
    /// number of operands, the kind is [`Operation::Other`], which passes leave unchanged.
    pub(super) fn kind(&self, opcode: OpcodeId, operands: usize) -> Kind {
        match self.body.opcodes.get(opcode).kind {
            Kind::Pure(operation) if !operation.takes(operands) => Kind::Pure(Operation::Other),
            kind => kind,
        }
    }

    pub(super) fn pure(
        &mut self,
        operation: Operation,
        ty: impl Display,
        args: &[Arg],
        words: u8,
    ) -> ValueId {
        let opcode = self.body.opcodes.made(operation, ty);
        let kind = self.kind(opcode, args.len());
        let node = Node::new(opcode, kind, self.block, self.origin).with(args.iter().copied());
        self.values.add(self.body, self.graph, node, &[words])[0]
    }

    pub(super) fn declared(&self, name: &str) -> Option<(u8, u32)> {
        match self.scopes.find(name)? {
            Declaration::Register { words, first, .. } => Some((words, first)),
            Declaration::Variable(_) => None,
        }
    }

    /// Returns the value of the register with this name; undefined if the name is not declared.
    pub(super) fn register(&mut self, name: &str, words: u8) -> ValueId {
        match self.declared(name) {
            Some((words, register)) => {
                self.registers.read(self.body, self.graph, self.block, register, words)
            }
            None => self.body.undefined(words),
        }
    }

    pub(super) fn write(&mut self, name: &str, value: ValueId) {
        if let Some((_, register)) = self.declared(name) {
            self.registers.write(self.block, register, value);
        }
    }

    /// Zero-extends a word to a register pair.
    pub(super) fn with_zeros(&mut self, word: ValueId) -> ValueId {
        let zero = self.body.constant(0, 1);
        self.pack(vec![word, zero])
    }
}

/// Returns the registers that a destination operand names.
pub(super) fn targets<'a>(operand: &Operand<'a>) -> Vec<Target<'a>> {
    if let Some((one, other)) = operand.pair() {
        return targets(&one).into_iter().chain(targets(&other)).collect();
    }
    match operand.kind() {
        OperandKind::Vector => vec![Target::Vector(operand.elements().map(|part| part.text()).collect())],
        OperandKind::Sink => vec![Target::Sink],
        _ => vec![Target::One(operand.text())],
    }
}

/// Destination of an instruction's write.
pub(super) enum Target<'a> {
    One(&'a str),
    Vector(Vec<&'a str>),
    Sink,
}

pub(super) fn spell(opcode: &str, words: &[&str]) -> String {
    [&[opcode], words].concat().join(".")
}
