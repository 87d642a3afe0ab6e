//! What lanes of a warp tell each other.

use super::compute::Results;
use super::kind::{Shuffle, Vote};
use super::lanes::{Flags, Lanes, WARP};

/// `SHFL R, a, lane, c`: the lanes of `c`'s bits 8 to 12 stay in their segment, those of bits 0 to 4 bound it.
/// Source: PTX ISA, `shfl.sync`.
pub(super) fn shuffle(by: Shuffle, a: &Lanes, b: &Lanes, c: &Lanes, active: u32) -> Results {
    let mut result = Lanes { values: [0; WARP], known: 0 };
    let mut in_range = Flags::UNKNOWN;
    for lane in 0..WARP as u32 {
        let at = lane as usize;
        if (b.known & c.known) >> lane & 1 == 0 {
            continue;
        }
        let (offset, clamp, segment) = (b.values[at] & 31, c.values[at] & 31, c.values[at] >> 8 & 31);
        let most = lane & segment | clamp & !segment;
        let (from, is_in) = match by {
            Shuffle::Up => (lane.wrapping_sub(offset), lane >= offset && lane - offset >= most),
            Shuffle::Down => (lane + offset, lane + offset <= most),
            Shuffle::Butterfly => (lane ^ offset, lane ^ offset <= most),
            Shuffle::Index => {
                let from = lane & segment | offset & !segment;
                (from, from <= most)
            }
        };
        let from = if is_in { from & 31 } else { lane };
        in_range.known |= 1 << lane;
        in_range.values |= u32::from(is_in) << lane;
        if a.known & active & 1 << from != 0 {
            result.known |= 1 << lane;
            result.values[at] = a.values[from as usize];
        }
    }
    Results { flags: [in_range, Flags::UNKNOWN], ..Results::of(result) }
}

pub(super) fn vote_of(vote: Vote, flags: Flags, active: u32) -> Option<bool> {
    let (yes, no) = (flags.values & flags.known & active, flags.known & !flags.values & active);
    let is_known = flags.known & active == active;
    match vote {
        Vote::All if no != 0 => Some(false),
        Vote::Equal if yes != 0 && no != 0 => Some(false),
        Vote::Any if yes != 0 => Some(true),
        Vote::All | Vote::Equal => is_known.then_some(true),
        Vote::Any => is_known.then_some(false),
    }
}

pub(super) fn all_lanes(value: Option<bool>) -> Flags {
    match value {
        Some(true) => Flags::TRUE,
        Some(false) => Flags::FALSE,
        None => Flags::UNKNOWN,
    }
}
