//! Computes control codes from scratch. An assembler adds the codes to instructions so that no register is
//! read too early.
//!
//! The old codes and the old reuse flags are not read. From Maxwell on, codes contain stall counts, six
//! scoreboards, wait masks, yield flags and reuse flags. On Kepler, codes contain delays and pairs.

mod codes;
mod effects;
mod flow;
mod gain;
mod kepler;
mod order;
mod pairs;
mod plan;
mod products;
mod register_accesses;
mod rename;
mod reuse;
mod scoreboards;
#[cfg(test)]
mod tests;
mod text;
mod walk;

pub use plan::{Gain, Plan, Request};
pub use rename::{Banks, Renaming, renamings};

use crate::{Chunk, Program};
use machine::{ClassId, InOrder};

/// Computes the control codes of a kernel.
///
/// `program` is decoded from `chunk`; only the codes of instructions outside of the request's range are read.
/// Time is about linear in the kernel's length.
pub fn compute(chunk: &Chunk, program: &Program, request: &Request) -> Plan {
    codes::compute(chunk, program, request)
}

/// Returns an order of all instructions, by new index, that keeps the critical path of each block short.
/// Instructions move within sections of at most `most` instructions, which limits register pressure and keeps
/// time linear.
///
/// `others` are alternative classes of instructions. Also returns, by old index, true for each instruction
/// that runs as its alternative. An instruction does so if the alternative's pipe is free earlier than its
/// own pipe.
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
        &register_accesses::RegisterAccesses::collect(program),
        order::Priority::Near,
        order::Choices { others, spacing, most },
    )
}
