//! Requests for a schedule, and the plan that answers one.

use crate::Control;
use machine::InOrder;
use std::ops::Range;

/// Options of a schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// Instructions whose codes are computed; `None` for all. Codes outside stay, and codes inside respect them.
    pub range: Option<Range<u32>>,
    /// True if instructions may move within their block, if a gain is predicted.
    pub reorder: bool,
    /// Minimum cycles between instructions of these queues, which some compilers keep.
    pub spacing: Vec<(InOrder, u32)>,
}

/// Control codes for a kernel, and the order of its instructions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The new text order, as indices of the old instructions. Branch targets are positions: branches lead to the
    /// position of a block's first instruction, whichever instruction is there.
    pub order: Vec<u32>,
    /// Control codes by new index.
    pub controls: Vec<Control>,
    /// Blocks whose instructions were moved.
    pub gains: Vec<Gain>,
    /// Sentences that state what could not be done, and where.
    pub notes: Vec<String>,
}

/// Predicted saving of moving a block's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gain {
    /// The block's first instruction.
    pub first: u32,
    /// Cycles of one warp through the block, caches warm.
    pub before: u32,
    pub after: u32,
}

/// Returns a code with stall count 1 and nothing else.
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
