//! The registers that each instruction reads or writes, numbered from 0.

use crate::{Access, Program, Register};
use rustc_hash::FxHashMap;

/// Registers that instructions read and write, without duplicates per instruction.
#[derive(Debug)]
pub(super) struct RegisterAccesses {
    registers: Vec<Register>,
    numbers: FxHashMap<Register, u32>,
    reads: Vec<u32>,
    writes: Vec<u32>,
    /// The end of each instruction's range in `reads`, and in `writes`.
    ends: Vec<(u32, u32)>,
}

impl RegisterAccesses {
    pub(super) fn collect(program: &Program) -> Self {
        let mut touches = Self {
            registers: Vec::new(),
            numbers: FxHashMap::default(),
            reads: Vec::new(),
            writes: Vec::new(),
            ends: Vec::with_capacity(program.instructions.len()),
        };
        for inst in &program.instructions {
            let (registers, numbers) = (&mut touches.registers, &mut touches.numbers);
            let mut add = |accesses: &[Access], out: &mut Vec<u32>| {
                let start = out.len();
                for access in accesses {
                    let number = *numbers.entry(access.register).or_insert_with(|| {
                        registers.push(access.register);
                        registers.len() as u32 - 1
                    });
                    if !out[start..].contains(&number) {
                        out.push(number);
                    }
                }
            };
            add(program.reads(inst), &mut touches.reads);
            add(program.writes(inst), &mut touches.writes);
            touches.ends.push((touches.reads.len() as u32, touches.writes.len() as u32));
        }
        touches
    }

    pub(super) fn registers(&self) -> &[Register] {
        &self.registers
    }

    /// Returns the number of a register; `None` if no instruction accesses it.
    pub(super) fn number(&self, register: Register) -> Option<u32> {
        self.numbers.get(&register).copied()
    }

    pub(super) fn reads(&self, inst: u32) -> &[u32] {
        let start = inst.checked_sub(1).map_or(0, |before| self.ends[before as usize].0);
        &self.reads[start as usize..self.ends[inst as usize].0 as usize]
    }

    pub(super) fn writes(&self, inst: u32) -> &[u32] {
        let start = inst.checked_sub(1).map_or(0, |before| self.ends[before as usize].1);
        &self.writes[start as usize..self.ends[inst as usize].1 as usize]
    }
}
