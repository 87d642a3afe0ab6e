//! Values that loads return if the launch states the contents of memory.

use super::code::MemoryAccess;
use super::lanes::{Lanes, WARP};
use super::one_lane::sign_extend;
use crate::requests::Request;
use crate::{Contents, Launch};

/// Returns the contents of each array; empty if the launch states no contents.
pub(super) fn stated_contents(launch: &Launch) -> Box<[Option<Contents>]> {
    if launch.arrays.iter().all(|array| array.contents.is_none()) {
        return Box::default();
    }
    launch.arrays.iter().map(|array| array.contents.clone()).collect()
}

/// Returns a word that the lanes of a request load; unknown in lanes whose address has no stated contents.
pub(super) fn loaded(
    contents: &[Option<Contents>],
    load: &MemoryAccess,
    word: u64,
    request: &Request,
) -> Lanes {
    let mut value = Lanes::UNKNOWN;
    for lane in (0..WARP).filter(|lane| request.active >> lane & 1 == 1) {
        let address = request.addresses[lane];
        let array = (address / Launch::ARRAY_SPACING).wrapping_sub(1) as usize;
        let Some(Some(contents)) = contents.get(array) else { continue };
        let offset = address % Launch::ARRAY_SPACING + 4 * word;
        let is_part = (1..4).contains(&load.bytes);
        let (offset, bytes) = if is_part { (offset, load.bytes) } else { (offset & !3, 4) };
        let Some(loaded) = contents.load(offset, bytes, array as u64) else { continue };
        value.values[lane] = sign_extend(loaded, 8 * bytes, load.is_signed);
        value.known |= 1 << lane;
    }
    value
}
