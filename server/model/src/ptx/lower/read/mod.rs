//! Translates PTX statements to nodes.

mod asynchronous;
mod builder;
mod fields;
mod matrix;
mod moves;
mod values;

use super::facts::{Declaration, Facts, Scopes, Storage, sizes, take};
use super::graph::Graph;
use super::ir::{BlockId, Body, Kind, Node, NodeId, OpcodeId, Operation, ValueId};
use super::opcode::Opcodes;
use super::ssa::RegisterValues;
use super::types::Type;
use super::value_numbering::ValueNumbering;
use builder::{Builder, Target, spell, targets};
use machine::Hardware;
use machine::ptx::{Access, Form};
use moves::widening;
use std::sync::Arc;
use syntax::ptx::{FunctionKind, Item, Operand, OperandKind, Statement, StatementKind, literal};
use syntax::stop;

pub(super) use builder::Tables;

/// Translates a function body. Statements that cannot be translated are skipped.
pub(super) fn read(item: &Item, facts: &Facts, graph: &Graph, tables: Tables<'_>) -> Body {
    let opcodes = Opcodes::new(Arc::clone(tables.expansions), tables.arch.sm);
    let mut body = Body::new(opcodes, graph.flow.clone());
    let builder = Builder {
        item,
        facts,
        graph,
        tables,
        body: &mut body,
        values: ValueNumbering::default(),
        registers: RegisterValues::default(),
        scopes: Scopes::default(),
        block: 0,
        origin: 0,
        is_entry: item.function().is_some_and(|function| function.kind == FunctionKind::Entry),
        reads_bank: u32::from(tables.arch.sm) < Hardware::builtin().first_loaded_parameters.value,
    };
    let mut reader =
        Reader { builder, register_count: 0, shared: facts.shared, local: 0, last_product: None };
    reader.function();
    let Reader { builder: Builder { registers, .. }, shared, .. } = reader;
    body.shared = shared;
    registers.finish(&mut body, graph);
    body
}

/// Translates statements, with the registers and the memory of the variables declared so far.
struct Reader<'a> {
    builder: Builder<'a>,
    register_count: u32,
    shared: u32,
    local: u32,
    /// The last warpgroup matrix product since the last `wgmma.commit_group`.
    last_product: Option<NodeId>,
}

/// Returns the sort key of a modifier of `ldmatrix` or `stmatrix`. ptxas accepts the modifiers in any order; the expansion
/// table has them in ascending order of this key.
fn place_in_matrix_access(word: &str) -> usize {
    match word {
        "sync" => 0,
        "aligned" => 1,
        "x1" | "x2" | "x4" => 3,
        "trans" => 4,
        "shared" => 5,
        _ if word.starts_with('m') => 2,
        _ => 6,
    }
}

impl<'a> Reader<'a> {
    fn function(&mut self) {
        self.builder.scopes.open();
        self.parameters();
        for block in 0..self.builder.graph.statements.len() {
            self.builder.block = block as BlockId;
            for at in self.builder.graph.statements[block].clone() {
                stop::check_at(at);
                self.builder.origin = at as u32;
                let statement = &self.builder.item.statements()[at];
                match statement.kind {
                    StatementKind::Open { .. } => self.builder.scopes.open(),
                    StatementKind::Close { .. } => self.builder.scopes.close(),
                    StatementKind::Variable => self.declare(statement),
                    StatementKind::Instruction { .. } => self.instruction(statement),
                    _ => {}
                }
            }
            self.builder.registers.fill(self.builder.block);
        }
    }

    /// Declares the parameters. Kernel parameters are in constant bank 0, laid out like the members of a C
    /// struct.
    fn parameters(&mut self) {
        let item = self.builder.item;
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
                    self.builder.scopes.declare(name, Declaration::Variable(Storage::Parameter(at)));
                }
            }
        }
    }

    fn declare_registers(&mut self, name: &'a str, words: u8, count: Option<u32>) {
        let first = self.register_count;
        self.register_count = first.saturating_add(count.unwrap_or(1));
        self.builder.scopes.declare(name, Declaration::Register { words, first, count });
    }

    fn declare(&mut self, statement: &Statement) {
        let item = self.builder.item;
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
                    // Arguments and results of a call are in registers.
                    self.declare_registers(name, size.div_ceil(4).clamp(1, 4) as u8, None);
                    continue;
                }
                _ => continue,
            };
            self.builder.scopes.declare(name, Declaration::Variable(place));
        }
    }

    fn instruction(&mut self, statement: &'a Statement) {
        let item = self.builder.item;
        let Some(opcode) = item.opcode(statement) else { return };
        let has_policy = item.modifiers(statement).any(|word| word == "L2::cache_hint");
        let mut words: Vec<&str> = item
            .modifiers(statement)
            .filter(|word| !self.builder.tables.expansions.is_neutral(opcode, word))
            .collect();
        if matches!(opcode, "ldmatrix" | "stmatrix") {
            words.sort_by_key(|word| place_in_matrix_access(word));
        }
        let operands: Vec<Operand<'a>> = item.operands(statement).collect();
        let guard = item.guard(statement).map(|(negated, name)| (self.builder.register(name, 0), negated));
        match opcode {
            "mov" => moves::moves(&mut self.builder, &words, &operands, guard),
            "cvta" => moves::copy_as(&mut self.builder, &operands, "b64", guard),
            "cvt" if widening(&words).is_some() => moves::widen(&mut self.builder, &words, &operands, guard),
            "ld" if words.first().is_some_and(|word| word.starts_with("param")) => {
                moves::load_parameter(&mut self.builder, &words, &operands, guard);
            }
            "st" if words.first().is_some_and(|word| word.starts_with("param")) => {
                moves::store_parameter(&mut self.builder, &words, &operands);
            }
            "bfe" | "bfi"
                if guard.is_none() && fields::field(&mut self.builder, opcode, &words, &operands) => {}
            "cp" if !has_policy && asynchronous::fill(&mut self.builder, &words, &operands, guard) => {}
            "cp" if asynchronous::bulk(&mut self.builder, &words, &operands, guard) => {}
            "st" | "red" if asynchronous::remote(&mut self.builder, opcode, &words, &operands, guard) => {}
            "wgmma"
                if guard.is_none()
                    && asynchronous::wgmma(&mut self.builder, &words, &operands, &mut self.last_product) => {}
            "mma" if guard.is_none() && matrix::product_of_bytes(&mut self.builder, &words, &operands) => {}
            "wmma" if guard.is_none() && matrix::wmma(&mut self.builder, &words, &operands) => {}
            "bra" => self.branch(&operands, guard),
            "ret" | "exit" => self.leave(opcode, guard),
            _ => self.plain(opcode, &words, &operands, guard),
        }
    }

    fn branch(&mut self, operands: &[Operand<'a>], guard: Option<(ValueId, bool)>) {
        let Some(target) = operands.first().and_then(|target| self.builder.graph.label(target.text())) else {
            return;
        };
        let opcode = self.builder.body.opcodes.made(Operation::Branch, "");
        let node = Node {
            guard,
            ..Node::new(opcode, Kind::Branch(target), self.builder.block, self.builder.origin)
        };
        self.builder.body.add(node, &[]);
    }

    fn leave(&mut self, opcode: &str, guard: Option<(ValueId, bool)>) {
        let is_return = opcode == "ret" && !self.builder.is_entry;
        let opcode =
            self.builder.body.opcodes.made(if is_return { Operation::Return } else { Operation::Exit }, "");
        let node = Node { guard, ..Node::new(opcode, Kind::Leave, self.builder.block, self.builder.origin) };
        self.builder.body.add(node, &[]);
    }

    /// Translates an instruction by its spelling in the expansion table.
    fn plain(
        &mut self,
        opcode: &str,
        words: &[&str],
        operands: &[Operand<'a>],
        guard: Option<(ValueId, bool)>,
    ) {
        let ty = words.last().copied().unwrap_or("b32");
        let mut spelling = spell(opcode, words);
        let gives = self.gives(opcode, words, operands);
        let (results, sources) = operands.split_at(usize::from(gives).min(operands.len()));
        let mut node = Node {
            guard,
            ..Node::new(OpcodeId::default(), Kind::Effect, self.builder.block, self.builder.origin)
        };
        for operand in sources {
            match operand.kind() {
                OperandKind::Address => {
                    let address = self.builder.address(operand);
                    node.addresses.push(address);
                }
                OperandKind::Missing | OperandKind::Sink | OperandKind::String | OperandKind::List => {}
                _ => {
                    let arg = self.builder.value(operand, ty);
                    node.args.push(arg);
                }
            }
        }
        if reads_16_bits(opcode, words) {
            // The distance of a shift is a word.
            let count = if opcode == "shr" { 1 } else { node.args.len() };
            for arg in node.args.iter_mut().take(count) {
                *arg = self.builder.zero_extended(*arg);
            }
        }
        if opcode == "cp" && !node.addresses.is_empty() {
            // The copy size in bytes selects the instruction.
            let size = node.args.first().and_then(|arg| self.builder.body.constant_of(arg.value));
            if let Some(size) = size {
                spelling = format!("{spelling}.{size}");
            }
        }
        if matches!(opcode, "bar" | "barrier") && words.contains(&"sync") && node.args.len() == 2 {
            spelling.push_str(".counted");
        }
        node.opcode = self.builder.body.opcodes.spelled(&spelling);
        node.kind = self.builder.kind(node.opcode, node.args.len());
        let targets: Vec<Target<'a>> = results.iter().flat_map(targets).collect();
        self.builder.define(node, &targets);
    }

    /// True if the instruction writes its first operand according to the instruction set. Forms whose names match more of
    /// the modifiers take precedence; among forms of the same name, the first decides.
    fn gives(&self, opcode: &str, words: &[&str], operands: &[Operand<'a>]) -> bool {
        let forms = self.builder.tables.ptx.instruction(opcode);
        let is_named = |form: &&Form| {
            let mut words = words.iter();
            form.name.split('.').skip(1).all(|part| words.next().is_some_and(|word| *word == part))
        };
        // Of forms with one name, the first: `mbarrier.try_wait`, not `mbarrier.init`.
        let longest = forms.iter().rev().filter(is_named).max_by_key(|form| form.name.len());
        let writes = longest.or(forms.first()).and_then(|form| form.operands.first());
        // A sink needs no register.
        let is_place = operands.first().is_some_and(|first| {
            matches!(first.kind(), OperandKind::Name | OperandKind::Vector | OperandKind::Pair)
        });
        is_place && writes.is_some_and(|first| first.access != Access::Read)
    }
}

/// True for an instruction with `u16` sources whose result would depend on the upper halves of the source registers. The
/// sources must then be zero-extended.
fn reads_16_bits(opcode: &str, words: &[&str]) -> bool {
    words.last() == Some(&"u16")
        && match opcode {
            "mul" | "mad" => words.first() != Some(&"lo"),
            "cvt" | "setp" | "min" | "max" | "shr" => true,
            _ => false,
        }
}
