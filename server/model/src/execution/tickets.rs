//! Tickets: old values of a counter in global memory to which all blocks of a launch add.
//!
//! Persistent kernels draw their next tile this way. All blocks are assumed to add as often and in turn, and the counter
//! to start at 0 unless the launch states its contents.

use super::code::{DecodedInstruction, is_float, moved_data};
use super::file::Files;
use super::lanes::Lanes;
use super::stored::SharedWords;
use crate::address::WarpThreads;
use crate::dataflow::Definitions;
use crate::launch::Origins;
use crate::requests::{Request, lanes_of};
use crate::{Contents, Launch, Program};
use syntax::sass::Chunk;

/// Slots of an atomic addition to a word of global memory whose old value the program uses: it draws a ticket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ticket {
    pub result: u16,
    pub addend: u16,
}

/// Returns the slots of an atomic addition of 32 bits that returns the old value; `None` for other instructions.
pub(super) fn ticket(files: &mut Files, chunk: &Chunk, program: &Program, at: usize) -> Option<Ticket> {
    let instruction = &chunk.instructions()[at];
    if !matches!(chunk.mnemonic(instruction), "ATOM" | "ATOMG") {
        return None;
    }
    let is_add = chunk.modifiers(instruction).any(|own| own == "ADD");
    let is_other = chunk.modifiers(instruction).any(|own| own == "64" || is_float(own));
    let result = moved_data(files, program, at, true).first().copied();
    let addend = moved_data(files, program, at, false).first().copied();
    (is_add && !is_other).then_some(Ticket { result: result?, addend: addend? })
}

/// Drops the tickets of counters that not all blocks share: their addresses depend on the block or on memory.
pub(super) fn keep_common_counters(steps: &mut [DecodedInstruction], chunk: &Chunk, program: &Program) {
    let is_drawn =
        |step: &DecodedInstruction| step.access.as_ref().is_some_and(|access| access.ticket.is_some());
    if !steps.iter().any(is_drawn) {
        return;
    }
    let definitions = Definitions::compute(program, &program.arch.isa);
    for (step, at) in steps.iter_mut().zip(0..).filter(|(step, _)| is_drawn(step)) {
        let origins = Origins::trace(chunk, program, &definitions, [at]);
        if (origins.is_of_block || origins.is_of_memory)
            && let Some(access) = &mut step.access
        {
            access.ticket = None;
        }
    }
}

/// Returns the tickets that the lanes in `on` draw. `block` is the index of the warp's block, and the number of all
/// blocks. `None` if the lanes add to several words, or an addend is unknown.
pub(super) fn drawn(
    ticket: Ticket,
    on: u32,
    values: &[Lanes],
    request: &Request,
    contents: &[Option<Contents>],
    (shared, (block, blocks)): (&SharedWords, (u64, u64)),
) -> Option<Lanes> {
    let addends = &values[usize::from(ticket.addend)];
    let counter = request.addresses[lanes_of(on).next()?];
    if addends.known & on != on || lanes_of(on).any(|lane| request.addresses[lane] != counter) {
        return None;
    }
    let array = (counter / Launch::ARRAY_SPACING).wrapping_sub(1);
    let contents = contents.get(array as usize).and_then(Option::as_ref);
    let start = contents.and_then(|contents| contents.load(counter % Launch::ARRAY_SPACING, 4, array));
    let added = lanes_of(on).fold(0_u32, |sum, lane| sum.wrapping_add(addends.values[lane]));
    let turn = block.wrapping_add(u64::from(shared.draw(counter)).wrapping_mul(blocks));
    let mut next = start.unwrap_or(0).wrapping_add(added.wrapping_mul(turn as u32));
    let mut result = Lanes { known: on, ..Lanes::UNKNOWN };
    for lane in lanes_of(on) {
        result.values[lane] = next;
        next = next.wrapping_add(addends.values[lane]);
    }
    Some(result)
}

/// Returns the index of a warp's block in the launch.
pub(super) fn block(launch: &Launch, place: &WarpThreads) -> u64 {
    let [x, y, z] = place.ctaid.map(u64::from);
    let [columns, rows, _] = launch.grid.map(u64::from);
    z.wrapping_mul(rows).wrapping_add(y).wrapping_mul(columns).wrapping_add(x)
}
