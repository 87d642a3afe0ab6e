//! A function body and its analyses, each computed on first use.

use super::dataflow::{Definitions, Liveness, RegisterUse, Registers, Spreads, WrittenRegisters};
use super::flow::{Control, Flow};
use super::{Meaning, Names, Ptx};
use machine::ptx::{ControlFlow, Spread};
use std::cell::OnceCell;
use std::ops::Range;
use syntax::ptx::{Item, Operand, OperandKind, Statement, StatementKind};

/// A function's control flow and its dataflow analyses.
#[derive(Debug)]
pub struct Body<'a> {
    pub item: &'a Item,
    pub names: &'a Names,
    pub(super) ptx: &'a Ptx,
    pub flow: Flow,
    pub registers: Registers,
    control: OnceCell<Control>,
    written: OnceCell<WrittenRegisters>,
    liveness: OnceCell<Liveness>,
    definitions: OnceCell<Definitions>,
    spreads: OnceCell<Spreads>,
}

impl<'a> Body<'a> {
    /// Builds the control flow and the register table of an item; `None` if the item is not a function with a
    /// body.
    pub fn new(item: &'a Item, names: &'a Names, ptx: &'a Ptx) -> Option<Self> {
        let flow = Flow::build(item, names, ptx)?;
        let registers = Registers::collect(item, names, &flow);
        Some(Self {
            item,
            names,
            ptx,
            flow,
            registers,
            control: OnceCell::new(),
            written: OnceCell::new(),
            liveness: OnceCell::new(),
            definitions: OnceCell::new(),
            spreads: OnceCell::new(),
        })
    }

    /// Returns the instruction set.
    pub fn tables(&self) -> &'a Ptx {
        self.ptx
    }

    /// Returns the statement of an instruction.
    pub fn statement(&self, instruction: u32) -> &'a Statement {
        &self.item.statements()[self.flow.nodes()[instruction as usize].statement as usize]
    }

    /// Returns the byte range of an instruction in the item, from the guard to the semicolon.
    pub fn range(&self, instruction: u32) -> Range<u32> {
        self.item.range(self.statement(instruction))
    }

    /// Returns the byte range of an instruction's opcode with its modifiers.
    pub fn opcode_range(&self, instruction: u32) -> Range<u32> {
        let statement = self.statement(instruction);
        let StatementKind::Instruction { opcode, operands } = statement.kind else {
            return self.item.range(statement);
        };
        match self.item.tokens().get(opcode as usize..operands as usize) {
            Some([first, .., last]) => first.start..last.end(),
            Some([only]) => only.start..only.end(),
            _ => self.item.range(statement),
        }
    }

    /// Returns the opcode with its modifiers as written in the source, such as `ld.global.u8`.
    pub fn spelled(&self, instruction: u32) -> &'a str {
        let range = self.opcode_range(instruction);
        &self.item.text()[range.start as usize..range.end as usize]
    }

    /// True if the instruction names a special register.
    pub fn reads_special_register(&self, instruction: u32) -> bool {
        let uses = self.names.uses_of(self.statement(instruction));
        uses.iter().any(|used| used.what == Meaning::SpecialRegister)
    }

    /// True if the instruction uses only registers: no memory, no other threads, no carry flag, no special
    /// register, and no function.
    pub fn only_computes(&self, instruction: u32) -> bool {
        let statement = self.statement(instruction);
        let behaviour = self.flow.nodes()[instruction as usize].behaviour;
        let is_register = |kind: OperandKind| {
            matches!(
                kind,
                OperandKind::Name
                    | OperandKind::Integer
                    | OperandKind::Float
                    | OperandKind::Expression
                    | OperandKind::Vector
            )
        };
        behaviour.flow == ControlFlow::Next
            && behaviour.together.is_none()
            && !self.item.modifiers(statement).any(|word| matches!(word, "sync" | "cc"))
            && self.item.operands(statement).all(|operand| is_register(operand.kind()))
            && !self.reads_special_register(instruction)
    }

    /// True for a load or a store without ordering semantics: neither volatile, atomic nor memory-mapped.
    pub fn is_weak_access(&self, instruction: u32) -> bool {
        let statement = self.statement(instruction);
        let is_ordered = |word: &str| matches!(word, "volatile" | "relaxed" | "acquire" | "release" | "mmio");
        matches!(self.item.opcode(statement), Some("ld" | "st"))
            && !self.item.modifiers(statement).any(is_ordered)
    }

    /// Returns the spread of an operand: the set of threads among which the operand's registers may differ.
    pub fn spread_of(&self, instruction: u32, operand: &Operand<'_>) -> Spread {
        let Some(range) = operand.range() else { return Spread::Same };
        let of_operand = |touch: &&RegisterUse| range.contains(&self.token_range(touch.token).start);
        let reads = self.registers.reads(instruction).filter(of_operand);
        let spread = |touch: &RegisterUse| self.spreads().of_read(self, instruction, touch.register);
        reads.map(spread).max().unwrap_or_default()
    }

    /// Returns the byte range of a token in the item.
    pub fn token_range(&self, token: u32) -> Range<u32> {
        self.item.tokens().get(token as usize).map_or(0..0, |token| token.start..token.end())
    }

    /// Returns the branches that determine whether each block is executed.
    pub fn control(&self) -> &Control {
        self.control.get_or_init(|| Control::compute(&self.flow))
    }

    /// Returns the registers that are written before the start of each block.
    pub fn written(&self) -> &WrittenRegisters {
        self.written.get_or_init(|| WrittenRegisters::compute(&self.flow, &self.registers, self.liveness()))
    }

    /// Returns the registers that are live before and after each block.
    pub fn liveness(&self) -> &Liveness {
        self.liveness.get_or_init(|| Liveness::compute(&self.flow, &self.registers))
    }

    /// Returns the register writes, and the reads that they reach.
    pub fn definitions(&self) -> &Definitions {
        self.definitions.get_or_init(|| Definitions::compute(&self.flow, &self.registers, self.liveness()))
    }

    /// Returns the spreads of values, guards and branch conditions: the threads among which they may differ.
    pub fn spreads(&self) -> &Spreads {
        self.spreads.get_or_init(|| Spreads::compute(self))
    }
}
