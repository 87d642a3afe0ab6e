//! Which registers some way, and which every way, has written before an instruction.

use super::{Liveness, Registers};
use crate::ptx::bits::{Bits, rows};
use crate::ptx::flow::Flow;

/// The registers that are written at the start of each block. A write under a guard counts as one. Only registers that are
/// live where the function begins are followed: all others are written before each of their reads.
#[derive(Debug, Clone)]
pub struct Written {
    followed: Bits,
    /// Written on some way.
    some: Vec<Bits>,
    /// Not written on some way; of blocks that nothing leads to, none.
    missing: Vec<Bits>,
}

impl Written {
    pub fn of(flow: &Flow, registers: &Registers, liveness: &Liveness) -> Self {
        let count = flow.blocks().len();
        let (mut some, mut missing) = (rows(count), rows(count));
        let mut followed = Bits::default();
        if count > 0 {
            for register in liveness.entering(0) {
                followed.set(register);
                let is_parameter = registers.all()[register as usize].is_parameter;
                if is_parameter { &mut some[0] } else { &mut missing[0] }.set(register);
            }
        }
        let mut waiting: Vec<u32> = (0..count as u32).rev().collect();
        let mut is_waiting = vec![true; count];
        while let Some(block) = waiting.pop() {
            syntax::stop::check();
            is_waiting[block as usize] = false;
            let range = &flow.blocks()[block as usize];
            if !range.is_reached {
                continue;
            }
            let mut own_some = some[block as usize].clone();
            let mut own_missing = missing[block as usize].clone();
            for instruction in range.instructions.clone() {
                for touch in registers.writes(instruction).filter(|touch| followed.has(touch.register)) {
                    own_some.set(touch.register);
                    own_missing.clear(touch.register);
                }
            }
            for &next in &range.successors {
                let has_changed = some[next as usize].unite(&own_some);
                let has_changed = missing[next as usize].unite(&own_missing) || has_changed;
                if has_changed && !is_waiting[next as usize] {
                    is_waiting[next as usize] = true;
                    waiting.push(next);
                }
            }
        }
        Self { followed, some, missing }
    }

    /// Calls `seen` for each instruction of a block, in text order, with what tells whether some way and whether every way
    /// has written a register before it that it reads.
    pub fn walk(
        &self,
        flow: &Flow,
        registers: &Registers,
        block: u32,
        mut seen: impl FnMut(u32, &dyn Fn(u32) -> (bool, bool)),
    ) {
        let mut some = self.some[block as usize].clone();
        let mut missing = self.missing[block as usize].clone();
        let range = &flow.blocks()[block as usize];
        for instruction in range.instructions.clone() {
            seen(instruction, &|register| {
                if self.followed.has(register) {
                    (some.has(register), !missing.has(register))
                } else {
                    (range.is_reached, true)
                }
            });
            for touch in registers.writes(instruction).filter(|touch| self.followed.has(touch.register)) {
                some.set(touch.register);
                missing.clear(touch.register);
            }
        }
    }
}
