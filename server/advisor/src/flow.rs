//! Dataflow analyses on bit sets at the starts and ends of basic blocks. They are may-analyses: the join over
//! paths is a union.

use crate::codes::Codes;
use model::flow::{Analysis, Direction, solve};
use model::{Flow, Program};

/// A mask with one bit per scoreboard. Source: `machine::units`.
pub(crate) const SCOREBOARDS: u64 = (1 << machine::units::SCOREBOARDS) - 1;

/// An analysis on bit sets. `through(block, bits)` is the transfer function of a block, and the join is a
/// union.
struct BitSetAnalysis<F> {
    through: F,
    leaving: u64,
}

/// For each block, the bits that reach its start on at least one path. The kernel's entry block starts with
/// `start`. Other blocks without predecessors have all bits.
pub(crate) fn forward(program: &Program, start: u64, through: impl Fn(u32, u64) -> u64) -> Vec<u64> {
    let entry = |block: u32| match block {
        0 => start,
        _ if program.flow.predecessors(block).is_empty() => u64::MAX,
        _ => 0,
    };
    let mut entries: Vec<u64> = program.flow.blocks().map(entry).collect();
    solve(&program.flow, Direction::Forward, &mut BitSetAnalysis { through, leaving: 0 }, &mut entries);
    entries
}

/// For each block, the bits that hold on at least one path from its end. `ends` returns the bits after a
/// block without a successor.
pub(crate) fn backward(
    program: &Program,
    ends: impl Fn(u32) -> u64,
    through: impl Fn(u32, u64) -> u64,
) -> Vec<u64> {
    let mut exits: Vec<u64> = program.flow.blocks().map(ends).collect();
    solve(&program.flow, Direction::Backward, &mut BitSetAnalysis { through, leaving: 0 }, &mut exits);
    exits
}

impl<F: Fn(u32, u64) -> u64> Analysis for BitSetAnalysis<F> {
    type State = u64;

    fn transfer(&mut self, block: u32, state: &u64) {
        self.leaving = (self.through)(block, *state);
    }

    fn join(&mut self, _: u32, _: u32, state: &mut u64) -> bool {
        let is_new = *state | self.leaving != *state;
        *state |= self.leaving;
        is_new
    }
}

impl Codes<'_> {
    /// Mask of the scoreboards that must be zero before the instruction issues.
    pub(crate) fn waits(&self, inst: u32) -> u64 {
        let counted = self.program.counted_wait(inst);
        let counted = counted.map_or(0, |wait| wait.also | u8::from(wait.at_most == 0) << wait.scoreboard);
        u64::from(self.inst(inst).control.map_or(0, |control| control.wait_mask) | counted)
    }

    /// Mask of the scoreboards that the instruction sets. Includes all scoreboards if the instruction's control code
    /// is unknown.
    pub(crate) fn sets(&self, inst: u32) -> u64 {
        let Some(control) = self.inst(inst).control else { return SCOREBOARDS };
        let both = control.write_barrier.into_iter().chain(control.read_barrier);
        both.fold(0, |mask, scoreboard| mask | 1 << scoreboard)
    }

    /// True if control may leave this code at the instruction: `RET`, a call, or a branch without a known
    /// target.
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
