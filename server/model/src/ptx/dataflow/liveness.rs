//! Live registers: registers that some path reads before writing.

use super::{RegisterUse, Registers};
use crate::flow::{Analysis, Direction, solve};
use crate::ptx::bits::{Bits, rows};
use crate::ptx::flow::Flow;

/// Registers that are live before and after each block.
#[derive(Debug, Clone)]
pub struct Liveness {
    entries: Vec<Bits>,
    exits: Vec<Bits>,
}

impl Liveness {
    /// Computes the live registers. The results of a function are live where control leaves the function.
    pub fn compute(flow: &Flow, registers: &Registers) -> Self {
        let mut exits = rows(flow.blocks().len());
        let mut results = Bits::default();
        for (register, number) in registers.all().iter().zip(0_u32..) {
            if register.is_result {
                results.set(number);
            }
        }
        for (block, exit) in flow.blocks().iter().zip(&mut exits) {
            if block.leaves {
                exit.clone_from(&results);
            }
        }
        let mut problem = Problem { flow, registers, entries: rows(exits.len()) };
        solve(flow.graph(), Direction::Backward, &mut problem, &mut exits);
        Self { entries: problem.entries, exits }
    }

    /// Iterates over the registers that are live at the start of a block, in ascending order.
    pub(super) fn entering(&self, block: u32) -> impl Iterator<Item = u32> {
        self.entries[block as usize].numbers()
    }

    /// Returns the number of nonzero words in the rows of all blocks.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        crate::ptx::bits::size(&self.entries) + crate::ptx::bits::size(&self.exits)
    }

    /// Calls `seen` for each instruction of a block in reverse order. The second argument is a function that
    /// returns whether a register is live after the instruction.
    pub fn walk(
        &self,
        flow: &Flow,
        registers: &Registers,
        block: u32,
        mut seen: impl FnMut(u32, &dyn Fn(u32) -> bool),
    ) {
        let mut live = self.exits[block as usize].clone();
        for instruction in flow.blocks()[block as usize].instructions.clone().rev() {
            seen(instruction, &|register| live.has(register));
            step(flow, registers, instruction, &mut live);
        }
    }

    /// Calls `seen` for each instruction of a block in reverse order. The second argument is the sum of the
    /// sizes of the registers that are live after the instruction.
    pub fn count(
        &self,
        flow: &Flow,
        registers: &Registers,
        block: u32,
        sizes: &[u32],
        mut seen: impl FnMut(u32, u32),
    ) {
        let mut live = self.exits[block as usize].clone();
        let mut sum: u32 = live.numbers().map(|register| sizes[register as usize]).sum();
        for instruction in flow.blocks()[block as usize].instructions.clone().rev() {
            seen(instruction, sum);
            let of = |live: &Bits| -> u32 {
                let mut touched: Vec<u32> =
                    registers.touches(instruction).iter().map(|touch| touch.register).collect();
                touched.sort_unstable();
                touched.dedup();
                touched.into_iter().filter(|&one| live.has(one)).map(|one| sizes[one as usize]).sum()
            };
            let following = of(&live);
            step(flow, registers, instruction, &mut live);
            sum = sum - following + of(&live);
        }
    }
}

struct Problem<'a> {
    flow: &'a Flow,
    registers: &'a Registers,
    /// Registers that are live at the start of each block, in the current iteration of the analysis.
    entries: Vec<Bits>,
}

impl Analysis for Problem<'_> {
    type State = Bits;

    fn transfer(&mut self, block: u32, state: &Bits) {
        let live = &mut self.entries[block as usize];
        live.clone_from(state);
        for instruction in self.flow.blocks()[block as usize].instructions.clone().rev() {
            step(self.flow, self.registers, instruction, live);
        }
    }

    fn join(&mut self, from: u32, _: u32, state: &mut Bits) -> bool {
        state.unite(&self.entries[from as usize])
    }
}

/// Transfer function: updates the registers that are live after an instruction to those that are live before
/// it.
fn step(flow: &Flow, registers: &Registers, instruction: u32, live: &mut Bits) {
    let is_guarded = flow.nodes()[instruction as usize].is_guarded;
    let ends = |touch: &&RegisterUse| touch.writes() && !touch.is_part && !is_guarded;
    for touch in registers.touches(instruction).iter().filter(ends) {
        live.clear(touch.register);
    }
    for touch in registers.reads(instruction) {
        live.set(touch.register);
    }
}
