//! Registers that some path, or every path, has written before an instruction.

use super::{Liveness, Registers};
use crate::flow::{Analysis, Direction, solve};
use crate::ptx::bits::Bits;
use crate::ptx::flow::Flow;

/// Registers that are written before the start of each block. A guarded write counts as a write. Only registers that
/// are live at the start of the function are tracked: all others are written before each of their reads.
#[derive(Debug, Clone)]
pub struct Written {
    followed: Bits,
    /// By block: registers written on some path to it, and registers unwritten on some path. Empty if unreachable.
    entries: Vec<(Bits, Bits)>,
}

impl Written {
    /// Computes the registers written at the start of each block; parameters count as written.
    pub fn compute(flow: &Flow, registers: &Registers, liveness: &Liveness) -> Self {
        let mut entries = vec![<(Bits, Bits)>::default(); flow.blocks().len()];
        let mut followed = Bits::default();
        if let Some((some, missing)) = entries.first_mut() {
            for register in liveness.entering(0) {
                followed.set(register);
                let is_parameter = registers.all()[register as usize].is_parameter;
                if is_parameter { &mut *some } else { &mut *missing }.set(register);
            }
        }
        let mut problem =
            Problem { flow, registers, followed: &followed, leaving: <(Bits, Bits)>::default() };
        solve(flow.graph(), Direction::Forward, &mut problem, &mut entries);
        Self { followed, entries }
    }

    /// Calls `seen` for each instruction of a block, in text order, with a function that takes a register and returns
    /// whether some path and whether every path has written it before the instruction.
    pub fn walk(
        &self,
        flow: &Flow,
        registers: &Registers,
        block: u32,
        mut seen: impl FnMut(u32, &dyn Fn(u32) -> (bool, bool)),
    ) {
        let mut state = self.entries[block as usize].clone();
        let range = &flow.blocks()[block as usize];
        for instruction in range.instructions.clone() {
            seen(instruction, &|register| {
                if self.followed.has(register) {
                    (state.0.has(register), !state.1.has(register))
                } else {
                    (range.is_reached, true)
                }
            });
            step(registers, &self.followed, instruction, &mut state);
        }
    }
}

/// Transfer function: turns the registers written before an instruction into those written after it.
fn step(registers: &Registers, followed: &Bits, instruction: u32, (some, missing): &mut (Bits, Bits)) {
    for touch in registers.writes(instruction).filter(|touch| followed.has(touch.register)) {
        some.set(touch.register);
        missing.clear(touch.register);
    }
}

/// Registers that are written on some path, and registers that are unwritten on some path.
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
        for instruction in self.flow.blocks()[block as usize].instructions.clone() {
            step(self.registers, self.followed, instruction, &mut self.leaving);
        }
    }

    fn join(&mut self, from: u32, _: u32, state: &mut Self::State) -> bool {
        let is_reached = self.flow.blocks()[from as usize].is_reached;
        is_reached && state.0.unite(&self.leaving.0) | state.1.unite(&self.leaving.1)
    }
}
