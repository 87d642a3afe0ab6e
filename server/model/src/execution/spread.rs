//! Estimates the addresses of requests that depend on loaded data. The measured counts of lines and sectors
//! show the distance between the lanes, and the size of the memory that the lanes access.
//!
//! Lanes are either side by side or at random positions. Side by side, each lane has its own section of an
//! array that is divided among all threads, like the rows of a matrix. Random positions are in one section of
//! an array. The number of lanes that were counted in the same line determines the size of this section.

use crate::contents::mixed;
use crate::requests::Request;

/// Estimated distribution of an access's lanes over an array.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Spread {
    /// Each warp begins `warp` bytes after the previous warp, and each lane `lane` bytes after the previous
    /// lane. If `is_close`, inactive lanes are skipped, so that active lanes are `lane` bytes apart.
    Adjacent { warp: f64, lane: f64, is_close: bool },
    /// Lanes are at random positions in `lines` cache lines. `is_sure` is true if enough lanes share a line
    /// for an estimate.
    Anywhere { lines: u64, is_sure: bool },
}

/// Counts of an access. `lanes`, `lines` and `sectors` are per request, the other counts are totals.
#[derive(Debug, Clone, Copy)]
pub(super) struct AccessCounts {
    pub lanes: f64,
    pub lines: Option<f64>,
    pub sectors: f64,
    pub requests: f64,
    /// Bytes that one lane accesses.
    pub bytes: f64,
    /// Bytes that all lanes access in all accesses to the array.
    pub array_bytes: f64,
    pub warps: f64,
    pub warp_lanes: f64,
    pub line_bytes: f64,
    pub sector_bytes: f64,
}

/// Minimum number of lanes that share a line or sector for an estimate of the number of lines or sectors.
const FEW: f64 = 8.0; // limit: fewer give an estimate with more than 35 % of noise

/// Maximum ratio of the counted sectors to the sectors of adjacent lanes at which lanes count as adjacent.
const LANES_APART: f64 = 1.5; // Source: a guess, half way between adjacent and every second

impl Spread {
    pub(super) fn new(asked: &AccessCounts) -> Self {
        match Self::from_question(asked) {
            Self::Anywhere { lines, is_sure } => Self::Anywhere { lines: lines.clamp(1, MAX_LINES), is_sure },
            adjacent @ Self::Adjacent { .. } => adjacent,
        }
    }

    fn from_question(asked: &AccessCounts) -> Self {
        let AccessCounts { lanes, sectors, bytes, line_bytes, sector_bytes, .. } = *asked;
        let per_warp = asked.array_bytes / asked.warps.max(1.0);
        // Sectors of adjacent lanes, on average over all alignments to a sector.
        let row = 1.0 + (lanes * bytes - bytes) / sector_bytes;
        if lanes <= 1.0 || sectors <= row * LANES_APART && bytes < sector_bytes {
            return Self::Adjacent { warp: per_warp, lane: bytes, is_close: true };
        }
        let per_line = line_bytes / sector_bytes;
        let lines = places(lanes, asked.lines.unwrap_or(sectors.min(lanes)), asked.requests);
        let of_sectors = places(lanes, sectors.min(lanes), asked.requests);
        if let (Some(lines), Some(of_sectors)) = (lines, of_sectors) {
            // Lanes that share a line share its sectors as often as random lanes do, or hardly ever.
            return if of_sectors > per_line * per_line * lines {
                Self::Adjacent { warp: per_warp, lane: per_warp / asked.warp_lanes, is_close: false }
            } else {
                let lines = (of_sectors / per_line).max(lines).round().max(1.0) as u64;
                Self::Anywhere { lines, is_sure: true }
            };
        }
        if let (Some(lines), None) = (lines, of_sectors)
            && lines * per_line * FEW < lanes * lanes * asked.requests / 2.0
        {
            return Self::Adjacent { warp: per_warp, lane: per_warp / asked.warp_lanes, is_close: false };
        }
        // If no two lanes share a line: the lines that hold the bytes of all lanes.
        let most = asked.array_bytes / line_bytes;
        Self::Anywhere { lines: lines.unwrap_or(most).max(1.0) as u64, is_sure: lines.is_some() }
    }

    /// Moves the lanes of a request to their estimated addresses. `warp` is the warp's index in the launch. Random
    /// positions are derived from the loaded value, or from `own` if the address does not reveal that value.
    pub(super) fn put(self, request: &mut Request, warp: u64, own: u64, bytes: u32, line_bytes: u64) {
        let Request { active, addresses } = request;
        let Some(first) = (*active != 0).then(|| addresses[active.trailing_zeros() as usize]) else { return };
        let array = array_of(first);
        // Offsets count from a page before the array, because code may subtract from a pointer.
        let offset = first.wrapping_add(PAGE).wrapping_sub(array);
        let (key, within) = if offset > NEAR { (offset / PAGE, offset % PAGE) } else { (own, offset) };
        let mut rank = 0_u64;
        for (lane, address) in addresses.iter_mut().enumerate() {
            if *active >> lane & 1 == 0 {
                continue;
            }
            *address = match self {
                Self::Adjacent { warp: per_warp, lane: per_lane, is_close } => {
                    let number = if is_close { rank } else { lane as u64 };
                    let from = warp as f64 * per_warp + number as f64 * per_lane;
                    let from = (from as u64).min(MAX_LINES * line_bytes);
                    let bytes = u64::from(bytes.max(1));
                    array.wrapping_add(from / bytes * bytes + within)
                }
                Self::Anywhere { lines, .. } => {
                    let hash = mixed(key ^ mixed(lane as u64 + 1));
                    let place = (hash >> 8) % lines * line_bytes + hash % line_bytes;
                    let bytes = u64::from(bytes.max(1)).next_power_of_two();
                    array.wrapping_add((place / bytes * bytes + within) % (lines * line_bytes).max(PAGE))
                }
            };
            rank += 1;
        }
    }
}

/// Maximum number of lines of an array, small enough that arrays do not overlap.
const MAX_LINES: u64 = 1 << 32; // limit: no array reaches into another

/// Distance from a pointer, in bytes, up to which address offsets are assumed to come from the code and not
/// from loaded data.
const PAGE: u64 = 4096; // limit: offsets in code are rarely larger

/// Returns the start of the array that contains an address, or that begins up to a page after the address.
pub(super) fn array_of(address: u64) -> u64 {
    address.wrapping_add(PAGE) / crate::Launch::ARRAY_SPACING * crate::Launch::ARRAY_SPACING
}

/// Largest offset from an array's start that is assumed to come from the code, in bytes.
const NEAR: u64 = 1 << 16; // limit: offsets in code are rarely larger

/// Estimates the total number of lines or sectors from `different`, the mean number that `lanes` random lanes
/// touch. `None` if fewer than [`FEW`] lanes share a line or sector in all requests.
fn places(lanes: f64, different: f64, requests: f64) -> Option<f64> {
    let met = (lanes - different) * requests;
    if met < FEW {
        return None;
    }
    // Mean number of different places among `lanes` random draws from `places`.
    let of = |places: f64| places * (1.0 - (1.0 - 1.0 / places).powf(lanes));
    let (mut least, mut most) = (different.max(1.0), lanes * lanes * requests.max(1.0));
    for _ in 0..100 {
        let middle = (least * most).sqrt();
        if of(middle) < different { least = middle } else { most = middle }
    }
    Some(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: AccessCounts = AccessCounts {
        lanes: 32.0,
        lines: None,
        sectors: 4.0,
        requests: 1e5,
        bytes: 4.0,
        array_bytes: 32.0 * 4.0 * 1e5,
        warps: 1e5,
        warp_lanes: 32.0,
        line_bytes: 128.0,
        sector_bytes: 32.0,
    };

    /// Counts of lanes at random in `lines` lines.
    fn anywhere(lines: f64) -> AccessCounts {
        let met = |places: f64| places * (1.0 - (1.0 - 1.0 / places).powf(32.0));
        AccessCounts { lines: Some(met(lines)), sectors: met(4.0 * lines), ..ASKED }
    }

    #[test]
    fn lanes_side_by_side_lie_in_few_sectors() {
        for sectors in [4.0, 5.0] {
            let spread = Spread::new(&AccessCounts { sectors, ..ASKED });
            assert_eq!(spread, Spread::Adjacent { warp: 128.0, lane: 4.0, is_close: true });
        }
    }

    #[test]
    fn lanes_anywhere_meet_as_seldom_as_there_are_many_lines() {
        for lines in [128.0, 5000.0, 200_000.0] {
            let Spread::Anywhere { lines: found, .. } = Spread::new(&anywhere(lines)) else {
                panic!("{lines}")
            };
            assert!((found as f64 / lines - 1.0).abs() < 0.05, "{found} for {lines}");
        }
    }

    /// In rows of 16 elements, for example, two lanes share a line, and no two share a sector.
    #[test]
    fn rows_of_a_matrix_share_lines_but_no_sectors() {
        let rows = AccessCounts { lines: Some(16.0), sectors: 32.0, array_bytes: 64.0 * 32.0 * 1e5, ..ASKED };
        assert_eq!(Spread::new(&rows), Spread::Adjacent { warp: 2048.0, lane: 64.0, is_close: false });
    }

    #[test]
    fn where_no_lanes_meet_there_are_as_many_places_as_lanes() {
        let spread = Spread::new(&AccessCounts { lines: Some(32.0), sectors: 32.0, ..ASKED });
        assert_eq!(spread, Spread::Anywhere { lines: 100_000, is_sure: false });
    }

    #[test]
    fn requests_touch_as_many_lines_as_were_counted() {
        let array = crate::Launch::ARRAY_SPACING;
        for lines in [64_u64, 4096] {
            let mut touched = 0;
            for number in 0..1000_u64 {
                let addresses = std::array::from_fn(|lane| array + 64 * lane as u64);
                let mut request = Request { active: u32::MAX, addresses };
                Spread::Anywhere { lines, is_sure: true }.put(&mut request, 0, mixed(number), 4, 128);
                assert!(request.addresses.iter().all(|address| address % 4 == 0));
                let mut own: Vec<u64> = request.addresses.iter().map(|address| address / 128).collect();
                own.sort_unstable();
                own.dedup();
                touched += own.len();
            }
            let expected = anywhere(lines as f64).lines.unwrap() * 1000.0;
            assert!((touched as f64 / expected - 1.0).abs() < 0.02, "{touched}, expected {expected}");
        }
    }
}
