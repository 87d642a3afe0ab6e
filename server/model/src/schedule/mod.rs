//! Control codes from scratch: what an assembler writes beside each instruction so that nothing is read too early.
//!
//! The old codes are not read, nor are the old reuse flags. From Maxwell on: stall counts, six scoreboards, wait masks,
//! yield, reuse flags; on Kepler delays and pairs.

mod boards;
mod codes;
mod events;
mod flow;
mod gain;
mod kepler;
mod order;
mod pairs;
mod rename;
mod reuse;
#[cfg(test)]
mod tests;
mod text;
mod touches;
mod walk;

pub use rename::{Banks, Renaming, renamings};

use crate::{Chunk, Control, Program};
use machine::{ClassId, InOrder};
use std::ops::Range;

/// Options of a schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// Instructions whose codes are computed; `None`: all. Codes outside stay, and what is inside keeps to them.
    pub range: Option<Range<u32>>,
    /// Instructions may move within their block, where that is predicted to gain.
    pub reorder: bool,
    /// Instructions of these queues stand at least so many cycles apart, as some compilers put them.
    pub spacing: Vec<(InOrder, u32)>,
}

/// Control codes for a kernel, and the order of its instructions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The new text order: indices of the old instructions. Branch targets are places: a block's first instruction stays
    /// the place that branches lead to, whichever instruction stands there.
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

/// Computes the control codes of a kernel.
///
/// `program` is decoded from `chunk`; only the codes of instructions outside of the request's range are read. In time
/// about linear in the kernel's length.
pub fn compute(chunk: &Chunk, program: &Program, request: &Request) -> Plan {
    codes::compute(chunk, program, request)
}

/// The first instruction whose codes cannot be computed: a matrix product of a warpgroup sets no scoreboard, and what orders
/// its registers is not known. `None` where all can.
pub fn unschedulable(program: &Program) -> Option<u32> {
    let is_one = |at: &u32| {
        let class = program.instructions[*at as usize].class;
        class.is_some_and(|class| program.arch.class(class).name == crate::hazards::ASYNCHRONOUS)
    };
    let mut all = (0..program.instructions.len() as u32).filter(is_one);
    let first = all.clone().next();
    // What opens a group of products is of their class.
    all.find(|&at| flow::mnemonic(program, at).ends_with("MMA")).or(first)
}

/// An order of all instructions, by new place, that keeps the longest way to the end of each block short. Instructions move
/// within pieces of at most `most`, so that what they wait for takes no more registers than that, and time stays linear.
///
/// `others` are classes as which they may run instead of their own: gives by old place which do, as their own pipe is busy or
/// was so later.
pub fn arrange(
    chunk: &Chunk,
    program: &Program,
    others: &[Option<ClassId>],
    spacing: &[(InOrder, u32)],
    most: u32,
) -> (Vec<u32>, Vec<bool>) {
    let order: Vec<u32> = (0..program.instructions.len() as u32).collect();
    let text = text::Text { chunk, order: &order };
    order::order_within(
        program,
        text,
        crate::hazards::Needs::of(program),
        &touches::Touches::of(program),
        order::Priority::Near,
        order::Choices { others, spacing, most },
    )
}

/// A code that says nothing but to go on.
const fn plain() -> Control {
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
