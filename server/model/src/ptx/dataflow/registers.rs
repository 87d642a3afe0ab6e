//! Numbers the registers of a function, and records their reads and writes.

use crate::ptx::flow::Flow;
use crate::ptx::{Meaning, Names, Space, SymbolKind, UseKind};
use rustc_hash::FxHashMap;
use std::ops::Range;
use syntax::ptx::{Item, TokenKind};

/// Register accesses of a function's instructions.
#[derive(Debug, Clone, Default)]
pub struct Registers {
    all: Vec<Register>,
    touches: Vec<RegisterUse>,
    /// Range of each instruction's accesses in `touches`.
    ranges: Vec<Range<u32>>,
}

/// A register that at least one instruction names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// Index of the declaring symbol.
    pub symbol: u32,
    /// Number of the register in a range: 7 for `%r7` of `%r<10>`. `None` if the declaration has no range.
    pub number: Option<u32>,
    /// True for a parameter of the function, which callers write.
    pub is_parameter: bool,
    /// True for a result of the function, which callers read.
    pub is_result: bool,
}

/// An occurrence of a register in an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterUse {
    /// Index of the register in [`Registers::all`].
    pub register: u32,
    /// Index of the token.
    pub token: u32,
    pub access: Access,
    /// True if the instruction names only a component of the register: `v.x`.
    pub is_part: bool,
    /// True if the register is the guard of the instruction.
    pub is_guard: bool,
}

/// Kind of access to a register at an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    Both,
}

impl RegisterUse {
    /// True if the instruction reads the register.
    pub fn reads(&self) -> bool {
        self.access != Access::Write
    }

    /// True if the instruction writes the register.
    pub fn writes(&self) -> bool {
        self.access != Access::Read
    }
}

impl Registers {
    /// Numbers the registers that instructions name, in order of first occurrence.
    pub fn collect(item: &Item, names: &Names, flow: &Flow) -> Self {
        let mut found = Self::default();
        let mut numbers = FxHashMap::default();
        let mut uses = names.uses().iter().peekable();
        for node in flow.nodes() {
            let statement = &item.statements()[node.statement as usize];
            let first = found.touches.len() as u32;
            while uses.next_if(|used| used.token < statement.tokens.start).is_some() {}
            while let Some(used) = uses.next_if(|used| used.token < statement.tokens.end) {
                let Meaning::Symbol(symbol, number) = used.what else { continue };
                let declared = &names.symbols()[symbol as usize];
                let access = match used.kind {
                    UseKind::Read | UseKind::Call => Access::Read,
                    UseKind::Write => Access::Write,
                    UseKind::ReadWrite => Access::Both,
                    _ => continue,
                };
                if declared.space != Some(Space::Reg) {
                    continue;
                }
                let register = *numbers.entry((symbol, number)).or_insert_with(|| {
                    found.all.push(Register {
                        symbol,
                        number,
                        is_parameter: declared.kind == SymbolKind::Parameter,
                        is_result: declared.kind == SymbolKind::Result,
                    });
                    found.all.len() as u32 - 1
                });
                let opcode = match statement.kind {
                    syntax::ptx::StatementKind::Instruction { opcode, .. } => opcode,
                    _ => 0,
                };
                let next = item.tokens().get(used.token as usize + 1);
                let is_part = next.is_some_and(|token| token.kind == TokenKind::Modifier);
                let is_guard = used.token < opcode;
                found.touches.push(RegisterUse { register, token: used.token, access, is_part, is_guard });
            }
            found.ranges.push(first..found.touches.len() as u32);
        }
        found
    }

    /// Returns all registers that instructions name. [`RegisterUse::register`] is an index into this list.
    pub fn all(&self) -> &[Register] {
        &self.all
    }

    /// Returns the register occurrences in an instruction, in source order.
    pub fn touches(&self, instruction: u32) -> &[RegisterUse] {
        let range = &self.ranges[instruction as usize];
        &self.touches[range.start as usize..range.end as usize]
    }

    /// Iterates over the register reads of an instruction, in source order.
    pub fn reads(&self, instruction: u32) -> impl Iterator<Item = &RegisterUse> {
        self.touches(instruction).iter().filter(|touch| touch.reads())
    }

    /// Iterates over the register writes of an instruction, in source order.
    pub fn writes(&self, instruction: u32) -> impl Iterator<Item = &RegisterUse> {
        self.touches(instruction).iter().filter(|touch| touch.writes())
    }

    /// Returns the name of a register: `%r7`.
    pub fn name(&self, register: u32, item: &Item, names: &Names) -> String {
        let register = &self.all[register as usize];
        let stem = names.symbols()[register.symbol as usize].name(item);
        register.number.map_or_else(|| stem.to_owned(), |number| format!("{stem}{number}"))
    }
}
