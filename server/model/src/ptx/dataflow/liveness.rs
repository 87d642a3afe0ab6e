//! Which registers some way will read before it writes them.

use super::{Registers, Touch};
use crate::ptx::bits::{Rows, clear, has, set, unite};
use crate::ptx::flow::Flow;

/// Which registers are live behind each block.
#[derive(Debug, Clone)]
pub struct Liveness {
    exits: Rows,
}

impl Liveness {
    pub fn of(flow: &Flow, registers: &Registers) -> Self {
        let count = flow.blocks().len();
        let bits = registers.all().len();
        let predecessors = flow.predecessors();
        let mut exits = Rows::new(count, bits, false);
        for (block, at) in flow.blocks().iter().zip(0..) {
            for (register, number) in registers.all().iter().zip(0_u32..) {
                if block.leaves && register.is_result {
                    set(exits.row_mut(at), number);
                }
            }
        }
        let mut waiting: Vec<u32> = (0..count as u32).collect();
        let mut is_waiting = vec![true; count];
        let mut live = vec![0; bits.div_ceil(64)];
        while let Some(block) = waiting.pop() {
            syntax::stop::check();
            is_waiting[block as usize] = false;
            live.copy_from_slice(exits.row(block as usize));
            for instruction in flow.blocks()[block as usize].instructions.clone().rev() {
                step(flow, registers, instruction, &mut live);
            }
            for &before in &predecessors[block as usize] {
                if unite(exits.row_mut(before as usize), &live) && !is_waiting[before as usize] {
                    is_waiting[before as usize] = true;
                    waiting.push(before);
                }
            }
        }
        Self { exits }
    }

    /// Calls `seen` for each instruction of a block, from the last to the first, with what tells whether a register is live
    /// behind it.
    pub fn walk(
        &self,
        flow: &Flow,
        registers: &Registers,
        block: u32,
        mut seen: impl FnMut(u32, &dyn Fn(u32) -> bool),
    ) {
        let mut live = self.exits.row(block as usize).to_vec();
        for instruction in flow.blocks()[block as usize].instructions.clone().rev() {
            seen(instruction, &|register| has(&live, register));
            step(flow, registers, instruction, &mut live);
        }
    }

    /// Calls `seen` for each instruction of a block, from the last to the first, with the sizes of the registers that are
    /// live behind it, added up.
    pub fn count(
        &self,
        flow: &Flow,
        registers: &Registers,
        block: u32,
        sizes: &[u32],
        mut seen: impl FnMut(u32, u32),
    ) {
        let mut live = self.exits.row(block as usize).to_vec();
        let sized = || (0_u32..).zip(sizes);
        let mut sum: u32 = sized().filter(|(register, _)| has(&live, *register)).map(|(_, size)| size).sum();
        for instruction in flow.blocks()[block as usize].instructions.clone().rev() {
            seen(instruction, sum);
            let of = |live: &[u64]| -> u32 {
                let mut touched: Vec<u32> =
                    registers.touches(instruction).iter().map(|touch| touch.register).collect();
                touched.sort_unstable();
                touched.dedup();
                touched.into_iter().filter(|&one| has(live, one)).map(|one| sizes[one as usize]).sum()
            };
            let behind = of(&live);
            step(flow, registers, instruction, &mut live);
            sum = sum - behind + of(&live);
        }
    }
}

/// From what is live behind an instruction to what is live before it.
fn step(flow: &Flow, registers: &Registers, instruction: u32, live: &mut [u64]) {
    let is_guarded = flow.nodes()[instruction as usize].is_guarded;
    let ends = |touch: &&Touch| touch.writes() && !touch.is_part && !is_guarded;
    for touch in registers.touches(instruction).iter().filter(ends) {
        clear(live, touch.register);
    }
    for touch in registers.reads(instruction) {
        set(live, touch.register);
    }
}
