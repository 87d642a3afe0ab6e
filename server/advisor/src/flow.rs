//! What may hold at the ends of blocks, as bits followed along control flow until nothing changes.

use crate::codes::Codes;
use model::{Flow, Program};

/// One bit for each scoreboard.
pub(crate) const SCOREBOARDS: u64 = 0x3f;

/// For each block the bits that some way to its start has. The kernel starts with `start`; what nothing leads to, with all.
pub(crate) fn forward(program: &Program, start: u64, through: impl Fn(u32, u64) -> u64) -> Vec<u64> {
    let count = program.blocks.len();
    let mut entries = vec![0; count];
    let mut is_led_to = vec![false; count];
    for &next in program.blocks.iter().flat_map(|block| &block.successors) {
        is_led_to[next as usize] = true;
    }
    for (entry, is_led_to) in entries.iter_mut().zip(&is_led_to).skip(1) {
        *entry = if *is_led_to { 0 } else { u64::MAX };
    }
    if let Some(first) = entries.first_mut() {
        *first = start;
    }
    let mut waiting: Vec<u32> = (0..count as u32).rev().collect();
    while let Some(block) = waiting.pop() {
        let leaving = through(block, entries[block as usize]);
        for &next in &program.blocks[block as usize].successors {
            let entry = &mut entries[next as usize];
            if *entry | leaving != *entry {
                *entry |= leaving;
                waiting.push(next);
            }
        }
    }
    entries
}

/// For each block the bits that some way from its end has. `ends` says what is behind a block that leads nowhere here.
pub(crate) fn backward(
    program: &Program,
    ends: impl Fn(u32) -> u64,
    through: impl Fn(u32, u64) -> u64,
) -> Vec<u64> {
    let count = program.blocks.len();
    let mut predecessors = vec![Vec::new(); count];
    for (block, from) in program.blocks.iter().zip(0_u32..) {
        for &next in &block.successors {
            predecessors[next as usize].push(from);
        }
    }
    let mut exits: Vec<u64> = (0..count as u32).map(ends).collect();
    let mut waiting: Vec<u32> = (0..count as u32).collect();
    while let Some(block) = waiting.pop() {
        let arriving = through(block, exits[block as usize]);
        for &before in &predecessors[block as usize] {
            let exit = &mut exits[before as usize];
            if *exit | arriving != *exit {
                *exit |= arriving;
                waiting.push(before);
            }
        }
    }
    exits
}

impl Codes<'_> {
    /// Scoreboards that an instruction waits for until nothing is pending: one bit each.
    pub(crate) fn waits(&self, inst: u32) -> u64 {
        let counted = self.program.counted_wait(inst);
        let counted = counted.map_or(0, |wait| wait.also | u8::from(wait.at_most == 0) << wait.scoreboard);
        u64::from(self.inst(inst).control.map_or(0, |control| control.wait_mask) | counted)
    }

    /// Scoreboards that it sets; all where its code is not known.
    pub(crate) fn sets(&self, inst: u32) -> u64 {
        let Some(control) = self.inst(inst).control else { return SCOREBOARDS };
        let both = control.write_barrier.into_iter().chain(control.read_barrier);
        both.fold(0, |mask, scoreboard| mask | 1 << scoreboard)
    }

    /// Code that is not seen here runs behind an instruction.
    pub(crate) fn leaves(&self, inst: u32) -> bool {
        let own = self.inst(inst);
        match own.flow {
            Flow::Exit => self.mnemonic(inst) == "RET",
            Flow::Branch => own.target.is_none(),
            Flow::Call | Flow::IndirectBranch => true,
            Flow::Next | Flow::Barrier => false,
        }
    }
}
