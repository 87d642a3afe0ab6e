//! Operations across the lanes of a warp.

use super::compute::Results;
use super::kind::{Reduce, Shuffle, Vote};
use super::lanes::{Flags, Lanes, WARP};
use super::wide::Wide;

/// `SHFL R, a, lane, c`: bits 8 to 12 of `c` mask the lane bits that select a segment, bits 0 to 4 clamp the source
/// lane. Source: PTX ISA, `shfl.sync`.
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
    Results { flags: [in_range, Flags::UNKNOWN], ..Results::from_value(result) }
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

/// Combines the values of the active lanes into one, for all lanes; unknown if no lane is active or a value is unknown.
pub(super) fn reduced(by: Reduce, a: &Lanes, active: u32) -> Lanes {
    if active == 0 || a.known & active != active {
        return Lanes::UNKNOWN;
    }
    let pick = |x: u32, y: u32, signed: bool, least: bool| {
        let is_less = if signed { x.cast_signed() < y.cast_signed() } else { x < y };
        if is_less == least { x } else { y }
    };
    let all = (0..WARP).filter(|lane| active >> lane & 1 == 1).map(|lane| a.values[lane]);
    let one = all.reduce(|x, y| match by {
        Reduce::And => x & y,
        Reduce::Or => x | y,
        Reduce::Xor => x ^ y,
        Reduce::Sum => x.wrapping_add(y),
        Reduce::Least { signed } => pick(x, y, signed, true),
        Reduce::Greatest { signed } => pick(x, y, signed, false),
    });
    one.map_or(Lanes::UNKNOWN, Lanes::splat)
}

/// Returns, for each active lane, the mask of active lanes with an equal value. If `all` is true, returns the
/// predicate that all values are equal, and a mask: all active lanes if the values are equal, otherwise 0.
/// Unknown if an active lane's value is unknown. Source: PTX ISA, `match.sync`.
pub(super) fn matched(a: &Wide, all: bool, active: u32) -> Results {
    let held: Option<Vec<(usize, u64)>> = (0..WARP)
        .filter(|lane| active >> lane & 1 == 1)
        .map(|lane| a.value(lane).map(|value| (lane, value)))
        .collect();
    let Some(held) = held else { return Results::UNKNOWN };
    let same = |value: u64| {
        held.iter().filter(|(_, other)| *other == value).fold(0_u32, |lanes, (lane, _)| lanes | 1 << lane)
    };
    let Some(&(_, first)) = held.first() else { return Results::UNKNOWN };
    if all {
        let is_one = same(first) == active;
        let mask = Lanes::splat(if is_one { active } else { 0 });
        return Results { flags: [all_lanes(Some(is_one)), Flags::UNKNOWN], ..Results::from_value(mask) };
    }
    let mut masks = Lanes { values: [0; WARP], known: active };
    for &(lane, value) in &held {
        masks.values[lane] = same(value);
    }
    Results::from_value(masks)
}
