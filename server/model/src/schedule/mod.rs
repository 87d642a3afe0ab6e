//! Computes control codes from scratch, which an assembler adds to instructions so that nothing is read too early.
//!
//! The old codes are not read, nor are the old reuse flags. From Maxwell on: stall counts, six scoreboards, wait masks,
//! yield, reuse flags; on Kepler delays and pairs.

mod boards;
mod codes;
mod effects;
mod flow;
mod gain;
mod kepler;
mod order;
mod pairs;
mod plan;
mod rename;
mod reuse;
#[cfg(test)]
mod tests;
mod text;
mod touches;
mod walk;

pub use plan::{Gain, Plan, Request};
pub use rename::{Banks, Renaming, renamings};

use crate::{Chunk, Program};
use machine::{ClassId, ClassTrait, InOrder};

/// Computes the control codes of a kernel.
///
/// `program` is decoded from `chunk`; only the codes of instructions outside of the request's range are read. Takes
/// time about linear in the kernel's length.
pub fn compute(chunk: &Chunk, program: &Program, request: &Request) -> Plan {
    codes::compute(chunk, program, request)
}

/// Returns the first instruction whose codes cannot be computed: a warpgroup's matrix product sets no scoreboard, and
/// what orders its registers is not known. `None` if all codes can be computed.
pub fn unschedulable(program: &Program) -> Option<u32> {
    let is_one = |at: &u32| {
        let class = program.instructions[*at as usize].class;
        class.is_some_and(|class| program.arch.class(class).has(ClassTrait::Unordered))
    };
    let mut all = (0..program.instructions.len() as u32).filter(is_one);
    let first = all.clone().next();
    // Instructions that open a group of products have the same class.
    all.find(|&at| flow::mnemonic(program, at).ends_with("MMA")).or(first)
}

/// Returns an order of all instructions, by new index, that keeps the critical path of each block short. Instructions
/// move within pieces of at most `most`, which limits register pressure and keeps time linear.
///
/// `others` are alternative classes of instructions. Also returns, by old index, which run as their alternative,
/// because their own pipe is busy or was busy more recently.
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
        crate::hazards::Needs::new(program),
        &touches::Touches::collect(program),
        order::Priority::Near,
        order::Choices { others, spacing, most },
    )
}
