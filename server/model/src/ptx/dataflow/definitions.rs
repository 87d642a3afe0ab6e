//! Reaching definitions: the register writes that may provide the value of a read.

use super::{Liveness, Registers};
use crate::flow::{Analysis, Direction, solve};
use crate::ptx::bits::{Bits, rows};
use crate::ptx::flow::Flow;
use std::ops::Range;

/// A write to a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition {
    /// Index of the written register.
    pub register: u32,
    /// Index of the instruction that writes the register.
    pub instruction: u32,
    /// True if the write replaces the entire register: it has no guard and is not a partial write.
    pub is_whole: bool,
}

/// The register writes of a function, and the blocks that they reach.
#[derive(Debug, Clone)]
pub struct Definitions {
    all: Vec<Definition>,
    /// Definitions of each register, in source order.
    of_register: Vec<Vec<u32>>,
    /// Bit index of each register's first definition. The bits of the register's other definitions follow.
    first_bit: Vec<u32>,
    /// Definitions that reach the start of each block, restricted to registers that are live there.
    entries: Vec<Bits>,
}

impl Definitions {
    /// Computes the definitions that reach each block.
    pub fn compute(flow: &Flow, registers: &Registers, liveness: &Liveness) -> Self {
        let mut all = Vec::new();
        let mut of_register = vec![Vec::new(); registers.all().len()];
        for (node, instruction) in flow.nodes().iter().zip(0..) {
            for touch in registers.writes(instruction) {
                of_register[touch.register as usize].push(all.len() as u32);
                let is_whole = !node.is_guarded && !touch.is_part;
                all.push(Definition { register: touch.register, instruction, is_whole });
            }
        }
        let mut bits = 0;
        let mut first_bit = Vec::with_capacity(of_register.len());
        for own in &of_register {
            first_bit.push(bits);
            bits += own.len() as u32;
        }
        let found = Self { all, of_register, first_bit, entries: Vec::new() };
        let mut entries = rows(flow.blocks().len());
        let mut problem = Problem { flow, liveness, definitions: &found, leaving: Bits::default() };
        solve(flow.graph(), Direction::Forward, &mut problem, &mut entries);
        Self { entries, ..found }
    }

    /// Returns all register writes, in source order.
    pub fn all(&self) -> &[Definition] {
        &self.all
    }

    /// Returns the indices of the writes of a register, in source order.
    pub fn of_register(&self, register: u32) -> &[u32] {
        &self.of_register[register as usize]
    }

    /// Returns the definitions of a register that reach an instruction, as indices into [`Self::all`]. Empty if
    /// no path to the instruction writes the register.
    pub fn reaching(&self, flow: &Flow, instruction: u32, register: u32) -> Vec<u32> {
        let block = flow.nodes()[instruction as usize].block;
        let start = flow.blocks()[block as usize].instructions.start;
        let own = self.of_register(register);
        let before = own.partition_point(|&one| self.all[one as usize].instruction < instruction);
        let mut found = Vec::new();
        for &one in own[..before].iter().rev() {
            let definition = &self.all[one as usize];
            if definition.instruction < start {
                break;
            }
            found.push(one);
            if definition.is_whole {
                return found;
            }
        }
        let first = self.first_bit[register as usize];
        let mut entering = Bits::default();
        entering.append(&self.entries[block as usize], &(first..first + own.len() as u32));
        for bit in entering.numbers() {
            let one = own[(bit - first) as usize];
            if !found.contains(&one) {
                found.push(one);
            }
        }
        found
    }

    /// Applies the transfer function of one definition: updates the reaching definitions before the write to
    /// those after the write.
    fn step(&self, definition: usize, reaching: &mut Bits) {
        let Definition { register, is_whole, .. } = self.all[definition];
        let own = self.of_register(register);
        let first = self.first_bit[register as usize];
        if is_whole {
            reaching.clear_range(first, own.len() as u32);
        }
        let at = own.partition_point(|&one| (one as usize) < definition);
        reaching.set(first + at as u32);
    }

    /// Returns the number of nonzero words in the rows of all blocks.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        crate::ptx::bits::size(&self.entries)
    }
}

struct Problem<'a> {
    flow: &'a Flow,
    liveness: &'a Liveness,
    definitions: &'a Definitions,
    /// Definitions that reach the end of the block that [`Analysis::transfer`] last processed.
    leaving: Bits,
}

impl Analysis for Problem<'_> {
    type State = Bits;

    fn transfer(&mut self, block: u32, state: &Bits) {
        self.leaving.clone_from(state);
        let Range { start, end } = self.flow.blocks()[block as usize].instructions;
        let all = &self.definitions.all;
        let first = all.partition_point(|one| one.instruction < start);
        let count = all[first..].partition_point(|one| one.instruction < end);
        for one in first..first + count {
            self.definitions.step(one, &mut self.leaving);
        }
    }

    /// Propagates only definitions of registers that are live at the start of `next`. The restriction keeps
    /// the rows short.
    fn join(&mut self, _: u32, next: u32, state: &mut Bits) -> bool {
        let mut wanted = Bits::default();
        for register in self.liveness.entering(next) {
            let first = self.definitions.first_bit[register as usize];
            let count = self.definitions.of_register(register).len() as u32;
            wanted.append(&self.leaving, &(first..first + count));
        }
        state.unite(&wanted)
    }
}
