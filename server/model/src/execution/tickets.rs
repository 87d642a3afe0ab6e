//! Tickets: old values of a counter in global memory to which all blocks of a launch add.
//!
//! Persistent kernels draw their next tile this way. All blocks are assumed to add as often and in turn, and the counter
//! to start at 0 unless the launch states its contents.

use super::code::Ticket;
use super::lanes::Lanes;
use super::stored::SharedWords;
use crate::address::WarpThreads;
use crate::requests::{Request, lanes_of};
use crate::{Contents, Launch};

/// Returns the tickets that the lanes in `on` draw. `block` is the index of the warp's block in the launch, and `blocks` is
/// the number of blocks. `None` if the lanes add to several words, or if an addend is unknown.
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
