//! Requests for a schedule, and the resulting plan.

use crate::Control;
use crate::dataflow::Liveness;
use machine::{ClassId, InOrder};
use std::ops::Range;

/// Options of a schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// Instructions whose codes are computed; `None` for all. Codes outside the range stay, and codes inside
    /// the range respect them.
    pub range: Option<Range<u32>>,
    /// True if instructions may move within their block when a gain is predicted.
    pub reorder: bool,
    /// Minimum cycles between successive instructions of these queues. Some compilers keep such distances.
    pub spacing: Vec<(InOrder, u32)>,
}

/// Control codes for a kernel, and the order of its instructions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The new text order, as indices of the old instructions. Branch targets are positions: a branch leads
    /// to the position of a block's first instruction, even if another instruction moves there.
    pub order: Vec<u32>,
    /// Control codes by new index.
    pub controls: Vec<Control>,
    /// Blocks whose instructions were moved.
    pub gains: Vec<Gain>,
    /// Messages for the user. Each names two instructions whose required distance could not be kept.
    pub notes: Vec<String>,
}

/// Predicted saving from reordering the instructions of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gain {
    /// The block's first instruction.
    pub first: u32,
    /// Cycles of a single warp through the block with warm caches, in the old order.
    pub before: u32,
    /// Cycles of a single warp through the block with warm caches, in the new order.
    pub after: u32,
}

/// Returns a code with stall count 1 and no flags, barriers or waits.
pub(super) const fn plain() -> Control {
    Control {
        stall: Some(1),
        yields: false,
        write_barrier: None,
        read_barrier: None,
        wait_mask: 0,
        reuse_mask: 0,
        dual: false,
        kepler: None,
    }
}

/// Options of [`arrange`](super::arrange).
#[derive(Debug, Clone, Copy)]
pub struct Sections<'a> {
    /// Alternative class of each instruction; `None` if there is no alternative.
    pub others: &'a [Option<ClassId>],
    /// Minimum cycles between successive instructions of each queue.
    pub spacing: &'a [(InOrder, u32)],
    /// Maximum number of instructions in a section. Instructions move only within their section, which keeps time
    /// linear.
    pub most: u32,
    /// The live registers, and the number of live general registers to aim at; `None` if their number is not limited.
    pub limit: Option<(&'a Liveness, u32)>,
    /// True if the cycles of the new order are wanted.
    pub is_timed: bool,
}
