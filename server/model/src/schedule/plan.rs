//! Requests for a schedule, and the plan that answers one.

use crate::Control;
use machine::InOrder;
use std::ops::Range;

/// Options of a schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// Instructions whose codes are computed; `None`: all. Codes outside stay, and what is inside keeps to them.
    pub range: Option<Range<u32>>,
    /// Instructions may move within their block, where that is predicted to gain.
    pub reorder: bool,
    /// Instructions of these queues are at least this many cycles apart, as some compilers put them.
    pub spacing: Vec<(InOrder, u32)>,
}

/// Control codes for a kernel, and the order of its instructions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The new text order: indices of the old instructions. Branch targets are places: branches keep leading to the
    /// place of a block's first instruction, whichever instruction is there.
    pub order: Vec<u32>,
    /// Control codes by new place.
    pub controls: Vec<Control>,
    /// Blocks whose instructions were moved.
    pub gains: Vec<Gain>,
    /// Sentences that say what could not be done, and where.
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

/// A code that says nothing but to go on.
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
