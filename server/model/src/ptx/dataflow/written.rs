//! Registers that are written before an instruction, on some path or on every path.

use super::{Liveness, Registers};
use crate::flow::{Analysis, Direction, solve};
use crate::ptx::bits::Bits;
use crate::ptx::flow::Flow;

/// Registers that are written before the start of each block. A guarded write counts as a write. Only
/// registers that are live at the start of the function are tracked: all other registers are written before
/// each read.
#[derive(Debug, Clone)]
pub struct WrittenRegisters {
    followed: Bits,
    /// For each block, the registers written on some path to the block, and the registers unwritten on some
    /// path. Empty for an unreachable block.
    entries: Vec<(Bits, Bits)>,
}

impl WrittenRegisters {
    /// Computes the registers that are written before the start of each block. Parameters count as written.
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

    /// Calls `seen` for each instruction of a block, in source order. The second argument is a function that
    /// returns whether some path, and whether every path, writes a register before the instruction.
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

/// Transfer function: updates the registers that are written before an instruction to those that are written
/// after it.
fn step(registers: &Registers, followed: &Bits, instruction: u32, (some, missing): &mut (Bits, Bits)) {
    for touch in registers.writes(instruction).filter(|touch| followed.has(touch.register)) {
        some.set(touch.register);
        missing.clear(touch.register);
    }
}

/// The dataflow problem. Its state is the set of registers that are written on some path, and the set of registers that
/// are unwritten on some path.
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
