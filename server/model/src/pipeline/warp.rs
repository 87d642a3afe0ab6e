//! State of a warp in the simulation.

use super::Reason;
use super::cycles::NEVER;
use super::held_scoreboard::{HeldScoreboard, Release};
use std::collections::VecDeque;

/// Number of a scoreboard's entries above which old entries are dropped.
const MANY: usize = 6; // limit: memory of the simulation
/// Maximum number of cycles by which other results may delay a write.
const LATE: u64 = 64; // limit: longer than any queue for the write port

#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact about the warp")]
pub(super) struct Warp {
    pub index: u32,
    /// Index of the next instruction.
    pub at: u32,
    /// Cycle of the last issue, or of the release from a barrier that followed the last issue. `pause` cycles
    /// must follow, for the reason `why`.
    pub issued: u64,
    pub pause: u64,
    pub why: Reason,
    pub before: Option<u32>,
    pub boards: [Vec<HeldScoreboard>; 6],
    /// Cycle in which the last instruction issued.
    pub last: u64,
    /// Cycle in which the SM registered the warp at the last barrier.
    pub arrived: u64,
    /// Cycle in which the warp was last released from a barrier.
    pub met: u64,
    /// Cycle in which the last barrier instruction issued.
    pub barrier: u64,
    /// Instruction cache line at which the last fetch began, and the cycle of the fetch.
    pub fetch: Option<(u32, u64)>,
    /// For each general register, the cycle in which its last writer left the operand stage or, if it is a matrix
    /// product, the tensor pipe.
    pub exits: Box<[u64; 256]>,
    /// Cycle in which all asynchronous copies of the warp so far are complete.
    pub copied: u64,
    /// Cycle in which all matrix products of the warp so far are complete.
    pub multiplied: u64,
    /// Cycles in which the tensor cores start the most recent products.
    pub product_starts: VecDeque<u64>,
    /// Cycles in which the most recently closed groups of products are complete, the oldest first.
    pub product_groups: VecDeque<u64>,
    /// Cycle in which all TMA transfers that the warp started, and that no barrier object counts, are complete.
    pub transferred: u64,
    /// True if the warp stored to global memory since its last fence.
    pub has_stored: bool,
    pub is_waiting: bool,
    /// True if the warp waits at a barrier object or a numbered barrier.
    pub is_parked: bool,
    pub is_done: bool,
}

impl Warp {
    pub(super) fn new(index: u32, at: u32, start: u64) -> Self {
        Self {
            index,
            at,
            issued: start,
            pause: 0,
            why: Reason::Wait,
            before: None,
            boards: Default::default(),
            last: start,
            arrived: NEVER,
            met: NEVER,
            barrier: NEVER,
            fetch: None,
            exits: Box::new([NEVER; 256]),
            copied: 0,
            multiplied: 0,
            product_starts: VecDeque::new(),
            product_groups: VecDeque::new(),
            transferred: 0,
            has_stored: false,
            is_waiting: false,
            is_parked: false,
            is_done: false,
        }
    }

    /// Returns an identifier of a register that is unique among all warps.
    pub(super) fn name(&self, register: u8) -> u32 {
        self.index << 8 | u32::from(register)
    }

    /// Closes the current group of matrix products. The group is complete once all products so far are.
    pub(super) fn close_products(&mut self) {
        let now = self.issued;
        while self.product_groups.len() > MANY && self.product_groups.front().is_some_and(|&end| end < now) {
            self.product_groups.pop_front();
        }
        self.product_groups.push_back(self.multiplied);
    }

    pub(super) fn set(&mut self, board: u8, entry: HeldScoreboard) {
        let entries = &mut self.boards[usize::from(board)];
        if entries.len() > MANY {
            let now = self.issued;
            entries.retain(|entry| match entry.release {
                Release::At(cycle) => cycle >= now,
                Release::Written { end, .. } => end + LATE >= now,
            });
        }
        entries.push(entry);
    }
}
