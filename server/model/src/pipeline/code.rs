//! A program decoded for the simulation: each instruction's demands on the pipeline stages.

use super::groups::{FenceScope, GroupRole, WarpgroupProduct};
use crate::{Control, Program, RegisterFile, operand_roles};
use machine::{Arch, Bound, Known, MemorySpace, OperandRole, Pipeline, RoleKind, Rule};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::sass::{Chunk, TokenKind};

/// Maximum number of registers that one instruction reads. The operands of a matrix product have four, two
/// and four registers.
pub(super) const MAX_SOURCES: usize = 12; // limit: a matrix product reads ten

/// A program decoded for the simulation, with the measured pipeline timing of its architecture.
#[derive(Debug, Clone)]
pub struct Code {
    pub(super) ops: Vec<Op>,
    pub(super) figures: Arc<Pipeline>,
    /// Memory instructions with unknown addresses, which are assumed to be free of conflicts.
    pub unknown_requests: Vec<u32>,
    /// Mnemonics whose timing was not measured, each with upper bounds of its latency and issue interval.
    pub(super) untimed: Vec<(Box<str>, Bound)>,
    /// Mnemonics of generic loads and stores, by instruction index. Their addresses determine whether they access
    /// global, shared or local memory.
    generic: BTreeMap<u32, Box<str>>,
    /// Mnemonics of asynchronous operations, by instruction index.
    names: BTreeMap<u32, Box<str>>,
}

/// A register and the operand slot that reads it: 0 to 2 for a, b, c.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Source {
    pub slot: u8,
    pub register: u8,
}

/// Consecutive general registers. `first` is `None` for the zero register, and if there are no registers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub first: Option<u8>,
    pub count: u8,
}

/// An instruction, decoded for the simulation.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact about the instruction")]
pub(super) struct Op {
    pub rule: Rule,
    /// Minimum cycles from the issue of this instruction to the issue of the warp's next instruction.
    pub stall: u64,
    /// Scoreboard that the write of the result releases.
    pub write: Option<u8>,
    /// Scoreboard that the read of the operands releases.
    pub read: Option<u8>,
    pub wait: u8,
    /// Line of the instruction cache that holds the instruction.
    pub line: u32,
    sources: [Source; MAX_SOURCES],
    source_count: u8,
    /// Mask of the operand slots kept in the reuse cache.
    pub kept: u8,
    /// General registers that the instruction writes.
    pub result: Span,
    /// Data and address registers of a queued instruction, in the order in which the queue moves them.
    pub data: Span,
    pub address: Span,
    pub loads: bool,
    pub stores: bool,
    /// Shared memory wavefronts, or 128-byte lines of global memory, per warp-level request.
    pub requests: u64,
    /// True if a wait for the instruction's scoreboard counts as `long_scoreboard`, because the instruction
    /// accesses memory outside the SM.
    pub is_long: bool,
    /// True if the instruction accesses global memory or, at generic addresses, may access it.
    pub asks: bool,
    /// Role of the instruction in groups of asynchronous operations.
    pub group: Option<GroupRole>,
    /// Scope of the instruction if it is a fence.
    pub fence: Option<FenceScope>,
    /// True for a TMA transfer of a tensor tile (`UTMA*`).
    pub is_tile: bool,
    /// Warpgroup matrix product that the instruction issues.
    pub product: Option<WarpgroupProduct>,
    /// Index into [`Code::untimed`]; `None` if the time is known.
    pub untimed: Option<u16>,
}

impl Op {
    pub(super) fn sources(&self) -> &[Source] {
        &self.sources[..usize::from(self.source_count)]
    }

    /// Sets the fields that the control code determines. `least` is the minimum stall count if the yield flag is set.
    fn obey(&mut self, control: &Control, least: u64) {
        let least = if control.yields { least } else { 1 };
        self.stall = u64::from(control.stall.unwrap_or(1)).max(least);
        self.write = control.write_barrier.filter(|&board| board < 6);
        self.read = control.read_barrier.filter(|&board| board < 6);
        self.wait = control.wait_mask & 0x3f;
        self.kept = control.reuse_mask;
    }

    fn push(&mut self, source: Source) {
        if let Some(place) = self.sources.get_mut(usize::from(self.source_count)) {
            *place = source;
            self.source_count += 1;
        }
    }
}

pub(super) fn cycles(figure: &Known<u32>) -> u64 {
    figure.value.into()
}

impl Code {
    /// Decodes a program; `None` if the pipeline of the architecture was not measured or the text has no control codes.
    ///
    /// `requests` returns the number of wavefronts or lines of a memory instruction; `None` if it is unknown.
    pub fn new(chunk: &Chunk, program: &Program, requests: impl Fn(usize) -> Option<u32>) -> Option<Self> {
        let arch = &program.arch;
        let figures = arch.pipeline.clone()?;
        let mut unknown_requests = Vec::new();
        let mut ops = Vec::with_capacity(program.instructions.len());
        let mut untimed = Vec::new();
        let mut generic = BTreeMap::new();
        let mut names = BTreeMap::new();
        for index in 0..program.instructions.len() {
            syntax::stop::check_at(index);
            let mut op = op(chunk, program, arch, &figures, index)?;
            let mnemonic = chunk.mnemonic(&chunk.instructions()[index]);
            if let Some(bound) = figures.untimed(mnemonic, program.instructions[index].class) {
                op.untimed = Some(number_of(&mut untimed, mnemonic, bound));
            }
            if matches!(op.rule, Rule::Shared | Rule::Matrix | Rule::Global | Rule::Copy) {
                match requests(index) {
                    Some(known) => op.requests = u64::from(known).max(1),
                    None => unknown_requests.push(index as u32),
                }
            }
            if program.instructions[index].memory.is_some_and(|memory| memory.space == MemorySpace::Generic) {
                generic.insert(index as u32, mnemonic.into());
            }
            if matches!(op.rule, Rule::Sync | Rule::Transfer) {
                names.insert(index as u32, mnemonic.into());
            }
            ops.push(op);
        }
        Some(Self { ops, figures, unknown_requests, untimed, generic, names })
    }

    /// Returns this code with the instructions in `generic` marked as untimed. They are generic accesses that may be
    /// outside global memory.
    pub(super) fn with_untimed(&self, generic: &BTreeSet<u32>) -> Self {
        let mut code = self.clone();
        let bound = self.figures.untimed_generic();
        for inst in generic {
            if let (Some(op), Some(name)) = (code.ops.get_mut(*inst as usize), self.generic.get(inst)) {
                op.untimed = op.untimed.or(Some(number_of(&mut code.untimed, name, bound)));
            }
        }
        code
    }

    /// Returns this code with a bound as the time of each untimed instruction. At the lower bound, the instruction
    /// takes only an issue slot. At the upper bound (`is_slow`), it stalls the issuing warp for its maximum latency, and
    /// its request to global memory, if any, is made.
    pub(super) fn with_bounds(&self, is_slow: bool) -> Self {
        let mut code = self.clone();
        for op in &mut code.ops {
            let Some(number) = op.untimed else { continue };
            let latency = u64::from(code.untimed[usize::from(number)].1.latency);
            (op.write, op.read) = (None, None);
            // In the worst case its request to global memory is made as well.
            op.rule = if is_slow && op.asks { Rule::Global } else { Rule::None };
            op.stall = if is_slow { op.stall.max(latency) } else { op.stall };
        }
        code
    }

    /// Returns this code reordered and with new control codes: `order[new index]` is the old index.
    #[must_use]
    pub fn arranged(&self, order: &[u32], controls: &[Control]) -> Self {
        let mut arranged = self.clone();
        let least = cycles(&self.figures.issue.yield_stall);
        let moved = |names: &BTreeMap<u32, Box<str>>| {
            (0..).zip(order).filter_map(|(place, old)| Some((place, names.get(old)?.clone()))).collect()
        };
        arranged.generic = moved(&self.generic);
        arranged.names = moved(&self.names);
        for (place, (&old, control)) in order.iter().zip(controls).enumerate() {
            let line = self.ops[place].line;
            let op = &mut arranged.ops[place];
            *op = Op { line, ..self.ops[old as usize] };
            op.obey(control, least);
        }
        arranged
    }

    /// Returns the mnemonic of an asynchronous operation; `BAR` for other instructions.
    pub(super) fn name(&self, inst: u32) -> Box<str> {
        self.names.get(&inst).map_or_else(|| "BAR".into(), Clone::clone)
    }

    /// Returns the mnemonic that names an endless wait: that of the first instruction on a barrier object (`mbarrier`);
    /// `BAR` if there is none.
    pub(super) fn waiting(&self) -> Box<str> {
        let object = self.ops.iter().position(|op| op.rule == Rule::Sync);
        object.map_or_else(|| "BAR".into(), |inst| self.name(inst as u32))
    }

    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// True if the program has no instruction.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Returns the rule by which an instruction issues; [`Rule::Other`] if the instruction's times are
    /// unknown.
    pub fn rule(&self, inst: usize) -> Rule {
        self.ops[inst].rule
    }
}

/// Returns the index of a mnemonic in the list; appends the mnemonic if it is new.
fn number_of(untimed: &mut Vec<(Box<str>, Bound)>, mnemonic: &str, bound: &Bound) -> u16 {
    let known = untimed.iter().position(|(name, _)| &**name == mnemonic);
    let number = known.unwrap_or_else(|| {
        untimed.push((mnemonic.into(), bound.clone()));
        untimed.len() - 1
    });
    u16::try_from(number).unwrap_or(u16::MAX)
}

fn op(chunk: &Chunk, program: &Program, arch: &Arch, figures: &Pipeline, index: usize) -> Option<Op> {
    let inst = &program.instructions[index];
    let control = inst.control?;
    let instruction = &chunk.instructions()[index];
    let mnemonic = chunk.mnemonic(instruction);
    let rule = inst.class.map_or(Rule::Other, |class| figures.rule(mnemonic, class));
    let shape = chunk.modifiers(instruction).next().filter(|_| mnemonic.ends_with("MMA"));
    let rule = shape.and_then(|shape| figures.opcode_rule(&format!("{mnemonic}.{shape}"))).unwrap_or(rule);
    let mut op = Op {
        rule,
        stall: 1,
        write: None,
        read: None,
        wait: 0,
        line: inst.address / figures.issue.line_bytes.value.max(1),
        sources: [Source::default(); MAX_SOURCES],
        source_count: 0,
        kept: 0,
        result: written(program, index),
        data: Span::default(),
        address: Span::default(),
        loads: inst.memory.is_some_and(|memory| memory.loads),
        stores: inst.memory.is_some_and(|memory| memory.stores),
        requests: u64::from(inst.memory.map_or(1, |memory| memory.bytes_per_lane.div_ceil(4)).max(1)),
        is_long: matches!(rule, Rule::Global | Rule::Copy | Rule::Texture),
        asks: inst
            .memory
            .is_some_and(|memory| matches!(memory.space, MemorySpace::Global | MemorySpace::Generic)),
        group: GroupRole::decode(chunk, instruction),
        fence: (rule == Rule::Fence).then(|| FenceScope::decode(chunk, instruction)),
        is_tile: mnemonic.starts_with("UTMA"),
        product: if rule == Rule::Product {
            WarpgroupProduct::decode(chunk, instruction, arch, figures)
        } else {
            None
        },
        untimed: None,
    };
    op.obey(&control, cycles(&figures.issue.yield_stall));
    let roles: &[OperandRole] = inst.opcode.map_or(&[], |id| &*arch.isa.form(id).operands);
    let slots = figures.slots(mnemonic).as_bytes();
    let width = inst.memory.map_or(1, |memory| memory.bytes_per_lane.div_ceil(4)).max(1);
    let mut next = 0;
    for (at, (operand, role)) in
        chunk.operands(instruction).zip(operand_roles(chunk.operands(instruction), roles)).enumerate()
    {
        let kind = role.map_or(RoleKind::Read, |role| roles[role].kind);
        let is_predicate = operand
            .iter()
            .any(|token| matches!(token.kind, TokenKind::Predicate | TokenKind::UniformPredicate));
        match kind {
            RoleKind::Write | RoleKind::WritePredicate | RoleKind::ReadPredicate | RoleKind::Target => {}
            RoleKind::Read | RoleKind::ReadWrite | RoleKind::Address | RoleKind::Other => {
                let in_order = read(program, index, at);
                if kind == RoleKind::Address {
                    if rule == Rule::Copy && op.address.count > 0 {
                        // A copy moves the address in shared memory first.
                        op.data = op.address;
                    }
                    op.address = in_order;
                } else if kind == RoleKind::Read && !is_predicate {
                    let is_zero = operand
                        .iter()
                        .any(|token| token.kind == TokenKind::Register && token.is_zero_register());
                    let moved = if inst.memory.is_some() && is_zero { width } else { in_order.count };
                    op.data.first = op.data.first.or(in_order.first);
                    op.data.count += moved.max(u8::from(is_zero));
                    if let Some(&slot) = slots.get(next) {
                        let slot = slot.saturating_sub(b'a').min(2);
                        for register in registers(in_order) {
                            op.push(Source { slot, register });
                        }
                    }
                    next += 1;
                }
            }
        }
    }
    Some(op)
}

/// Iterates over the registers of a span.
pub(super) fn registers(span: Span) -> impl Iterator<Item = u8> {
    span.first.into_iter().flat_map(move |first| (0..span.count).map(move |more| first.saturating_add(more)))
}

/// Returns the general registers that an operand reads.
fn read(program: &Program, index: usize, operand: usize) -> Span {
    let inst = &program.instructions[index];
    let own = program.reads(inst).iter().filter(|access| access.operand == u8::try_from(operand).ok());
    span(own.map(|access| access.register))
}

fn written(program: &Program, index: usize) -> Span {
    span(program.writes(&program.instructions[index]).iter().map(|access| access.register))
}

fn span(registers: impl Iterator<Item = crate::Register>) -> Span {
    let mut span = Span::default();
    for register in registers.filter(|register| register.file == RegisterFile::General) {
        span.first = span.first.or(u8::try_from(register.index).ok());
        span.count += 1;
    }
    span
}
