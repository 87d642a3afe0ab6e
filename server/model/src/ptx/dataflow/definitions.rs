//! Which writes a read may see.

use super::Registers;
use crate::ptx::bits::{Rows, clear_range, has, set, unite};
use crate::ptx::flow::Flow;

/// One write of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition {
    /// Index of the register.
    pub register: u32,
    /// The instruction that writes it.
    pub instruction: u32,
    /// What the register held before is gone: it is written as a whole and under no guard.
    pub is_whole: bool,
}

/// The writes of a function, and which of them reach where.
#[derive(Debug, Clone)]
pub struct Definitions {
    all: Vec<Definition>,
    /// By register, its definitions in text order.
    of_register: Vec<Vec<u32>>,
    /// By register, the bit of its first definition; the others follow.
    first_bit: Vec<u32>,
    /// By block, which definitions reach its start.
    entries: Rows,
}

impl Definitions {
    pub fn of(flow: &Flow, registers: &Registers) -> Self {
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
        let entries = Rows::new(flow.blocks().len(), bits as usize, false);
        let mut found = Self { all, of_register, first_bit, entries };
        found.follow(flow, bits as usize);
        found
    }

    /// Every write, in text order.
    pub fn all(&self) -> &[Definition] {
        &self.all
    }

    /// The writes of a register, in text order.
    pub fn of_register(&self, register: u32) -> &[u32] {
        &self.of_register[register as usize]
    }

    /// The definitions of a register that an instruction may read; none where nothing has written it.
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
        let entry = self.entries.row(block as usize);
        let bits = self.first_bit[register as usize]..;
        let entering = bits.zip(own).filter(|(bit, _)| has(entry, *bit)).map(|(_, &one)| one);
        for one in entering {
            if !found.contains(&one) {
                found.push(one);
            }
        }
        found
    }

    fn follow(&mut self, flow: &Flow, bits: usize) {
        let mut first = Vec::with_capacity(flow.blocks().len() + 1);
        for block in flow.blocks() {
            first.push(self.all.partition_point(|one| one.instruction < block.instructions.start));
        }
        first.push(self.all.len());
        let count = flow.blocks().len();
        let mut waiting: Vec<u32> = (0..count as u32).rev().collect();
        let mut is_waiting = vec![true; count];
        let mut reaching = vec![0; bits.div_ceil(64)];
        while let Some(block) = waiting.pop() {
            syntax::stop::check();
            is_waiting[block as usize] = false;
            reaching.copy_from_slice(self.entries.row(block as usize));
            for one in first[block as usize]..first[block as usize + 1] {
                self.step(one, &mut reaching);
            }
            for &next in &flow.blocks()[block as usize].successors {
                if unite(self.entries.row_mut(next as usize), &reaching) && !is_waiting[next as usize] {
                    is_waiting[next as usize] = true;
                    waiting.push(next);
                }
            }
        }
    }

    /// From what reaches a definition to what leaves it.
    fn step(&self, definition: usize, reaching: &mut [u64]) {
        let Definition { register, is_whole, .. } = self.all[definition];
        let own = self.of_register(register);
        let first = self.first_bit[register as usize];
        if is_whole {
            clear_range(reaching, first, own.len() as u32);
        }
        let at = own.partition_point(|&one| (one as usize) < definition);
        set(reaching, first + at as u32);
    }
}
