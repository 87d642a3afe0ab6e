//! What must lie between two instructions that touch one register.

use crate::{Arch, Program, Register, RegisterFile};
use machine::ClassId;
use std::sync::Arc;

/// How two instructions, one behind the other, touch a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    ReadAfterWrite,
    WriteAfterWrite,
    WriteAfterRead,
}

/// What orders two instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Text order is enough.
    None,
    /// So many cycles from issue to issue.
    Cycles(u32),
    /// The second waits for a scoreboard that the first sets: the write barrier, or for a register that the first reads
    /// the read barrier (or the write barrier, which falls later).
    Scoreboard,
}

/// What a program's instructions need of each other.
#[derive(Debug, Clone)]
pub struct Needs<'a> {
    program: &'a Program,
    arch: Arc<Arch>,
}

impl<'a> Needs<'a> {
    pub fn of(program: &'a Program) -> Self {
        Self { program, arch: program.arch.clone() }
    }

    /// What `second` needs behind `first`, both of which touch `register`.
    pub fn between(&self, first: u32, second: u32, register: Register, order: Order) -> Need {
        let (Some(writer), Some(reader)) = (self.class(first), self.class(second)) else { return Need::Scoreboard };
        if !self.arch.class(writer).latency.is_fixed() {
            return Need::Scoreboard;
        }
        if order == Order::WriteAfterRead {
            return Need::None;
        }
        if matches!(register.file, RegisterFile::Predicate | RegisterFile::UniformPredicate)
            && order == Order::ReadAfterWrite
        {
            return Need::Cycles(self.arch.predicate_guard.value);
        }
        let cycles = self.arch.raw_latency(writer, reader).map_or(1, |known| known.value);
        if order == Order::WriteAfterWrite {
            let own = self.arch.raw_latency(reader, reader).map_or(1, |known| known.value);
            return Need::Cycles((cycles + 1).saturating_sub(own).max(1));
        }
        Need::Cycles(cycles)
    }

    /// The least stall count behind an instruction, whatever follows it.
    pub fn after(&self, inst: u32) -> u32 {
        let _ = inst;
        1
    }

    fn class(&self, inst: u32) -> Option<ClassId> {
        self.program.instructions[inst as usize].class
    }
}
