//! Which registers some way, and which every way, has written before an instruction.

use super::Registers;
use crate::ptx::bits::{Rows, has, set, unite};
use crate::ptx::flow::Flow;

/// Which registers are written at the start of each block. A write under a guard counts as one.
#[derive(Debug, Clone)]
pub struct Written {
    /// On some way.
    some: Rows,
    /// On every way; of blocks that nothing leads to, all.
    every: Rows,
}

impl Written {
    pub fn of(flow: &Flow, registers: &Registers) -> Self {
        let count = flow.blocks().len();
        let bits = registers.all().len();
        let mut some = Rows::new(count, bits, false);
        let mut every = Rows::new(count, bits, true);
        if count > 0 {
            every.row_mut(0).fill(0);
            for (register, number) in registers.all().iter().zip(0_u32..) {
                if register.is_parameter {
                    set(some.row_mut(0), number);
                    set(every.row_mut(0), number);
                }
            }
        }
        let mut waiting: Vec<u32> = (0..count as u32).rev().collect();
        let mut is_waiting = vec![true; count];
        let width = bits.div_ceil(64);
        let (mut own_some, mut own_every) = (vec![0; width], vec![0; width]);
        while let Some(block) = waiting.pop() {
            syntax::stop::check();
            is_waiting[block as usize] = false;
            let range = &flow.blocks()[block as usize];
            if !range.is_reached {
                continue;
            }
            own_some.copy_from_slice(some.row(block as usize));
            own_every.copy_from_slice(every.row(block as usize));
            for instruction in range.instructions.clone() {
                for touch in registers.writes(instruction) {
                    set(&mut own_some, touch.register);
                    set(&mut own_every, touch.register);
                }
            }
            for &next in &range.successors {
                let mut has_changed = unite(some.row_mut(next as usize), &own_some);
                for (own, other) in every.row_mut(next as usize).iter_mut().zip(&own_every) {
                    has_changed |= *own & other != *own;
                    *own &= other;
                }
                if has_changed && !is_waiting[next as usize] {
                    is_waiting[next as usize] = true;
                    waiting.push(next);
                }
            }
        }
        Self { some, every }
    }

    /// Calls `seen` for each instruction of a block, in text order, with what tells whether some way and whether every way
    /// has written a register before it.
    pub fn walk(
        &self,
        flow: &Flow,
        registers: &Registers,
        block: u32,
        mut seen: impl FnMut(u32, &dyn Fn(u32) -> (bool, bool)),
    ) {
        let mut some = self.some.row(block as usize).to_vec();
        let mut every = self.every.row(block as usize).to_vec();
        for instruction in flow.blocks()[block as usize].instructions.clone() {
            seen(instruction, &|register| (has(&some, register), has(&every, register)));
            for touch in registers.writes(instruction) {
                set(&mut some, touch.register);
                set(&mut every, touch.register);
            }
        }
    }
}
