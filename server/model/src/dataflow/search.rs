//! A search along control flow, instruction by instruction.

use crate::Program;
use crate::flow::Direction;

impl Program {
    /// Visits the instructions after or before `inst` along every path, up to an instruction for which
    /// `stops` returns true. Each block is entered at most once. The search starts with the remaining
    /// instructions of the block of `inst`.
    pub fn search(&self, inst: u32, direction: Direction, mut stops: impl FnMut(u32) -> bool) {
        let block = self.instructions[inst as usize].block;
        let own = self.blocks[block as usize].instructions.clone();
        let mut stops_within = |mut stretch: std::ops::Range<u32>| match direction {
            Direction::Forward => stretch.any(&mut stops),
            Direction::Backward => stretch.rev().any(&mut stops),
        };
        let own = match direction {
            Direction::Forward => inst + 1..own.end,
            Direction::Backward => own.start..inst,
        };
        if !stops_within(own) {
            let instructions = |block: u32| self.blocks[block as usize].instructions.clone();
            self.flow.search(block, direction, |block| !stops_within(instructions(block)));
        }
    }
}
