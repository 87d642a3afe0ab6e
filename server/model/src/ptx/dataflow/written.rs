//! Which registers some way, and which every way, has written before an instruction.

use super::{Liveness, Registers};
use crate::flow::{Analysis, Direction, solve};
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
        let mut states: Vec<(Bits, Bits)> = some.into_iter().zip(missing).collect();
        let mut problem =
            Problem { flow, registers, followed: &followed, leaving: <(Bits, Bits)>::default() };
        solve(flow.graph(), Direction::Forward, &mut problem, &mut states);
        let (some, missing) = states.into_iter().unzip();
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

/// Registers that are written on some way, and those that are not on some way.
struct Problem<'a> {
    flow: &'a Flow,
    registers: &'a Registers,
    followed: &'a Bits,
    leaving: (Bits, Bits),
}

impl Analysis for Problem<'_> {
    type State = (Bits, Bits);

    fn transfer(&mut self, block: u32, state: &Self::State) {
        self.leaving.clone_from(state);
        let (some, missing) = &mut self.leaving;
        for instruction in self.flow.blocks()[block as usize].instructions.clone() {
            let writes = self.registers.writes(instruction);
            for touch in writes.filter(|touch| self.followed.has(touch.register)) {
                some.set(touch.register);
                missing.clear(touch.register);
            }
        }
    }

    fn join(&mut self, from: u32, _: u32, state: &mut Self::State) -> bool {
        let is_reached = self.flow.blocks()[from as usize].is_reached;
        is_reached && state.0.unite(&self.leaving.0) | state.1.unite(&self.leaving.1)
    }
}
