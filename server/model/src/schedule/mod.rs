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
mod memory_order;
mod order;
mod pairs;
mod plan;
mod pressure;
mod products;
mod register_accesses;
mod rename;
mod reuse;
mod scoreboards;
#[cfg(test)]
mod tests;
mod text;
mod walk;

pub use order::Arrangement;
pub use plan::{Gain, Plan, Request, Sections};
pub use rename::{Banks, Renaming, renamings};

use crate::{Chunk, Program};
use memory_order::Reordering;

/// Computes the control codes of a kernel.
///
/// `program` is decoded from `chunk`; only the codes of instructions outside of the request's range are read.
/// Time is about linear in the kernel's length.
pub fn compute(chunk: &Chunk, program: &Program, request: &Request) -> Plan {
    codes::compute(chunk, program, request)
}

/// Returns an order of all instructions that keeps the critical path of each block short, as a compiler orders PTX:
/// loads pass loads, and stores to other bytes of the same thread.
///
/// An instruction runs as its alternative if the alternative's pipe is free earlier than its own pipe.
pub fn arrange(chunk: &Chunk, program: &Program, sections: &Sections) -> Arrangement {
    let order: Vec<u32> = (0..program.instructions.len() as u32).collect();
    let text = text::Text { chunk, order: &order };
    let needs = crate::hazards::Needs::new(program);
    let accesses = register_accesses::RegisterAccesses::collect(program);
    let choices = order::Choices { sections: *sections, reordering: Reordering::PassStores };
    order::order_within(program, text, needs, &accesses, order::Priority::Near, choices)
}
