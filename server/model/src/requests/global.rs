//! Sectors, cache lines and tag look-ups of a global memory access.
//!
//! A request takes each distinct sector (32 bytes) that its lanes touch, regardless of the access width. One
//! pass through the tags of the L1 cache looks up one line in each of four tag banks and requests at most 16
//! sectors. Source: measured on an H100, `tests/measured/requests.csv`; an RTX 5090 behaves the same with a
//! different bank order (cicuvc, 2026-09). The rule is not published for Maxwell to Ada: sectors and tag
//! banks are assumed to be the same.
//!
//! Kepler splits a request of more than 4 bytes per lane into requests of half or quarter warps. On Kepler
//! and on 5.x, global loads bypass the L1 cache unless the code was compiled with `-dlcm=ca`. A load that
//! bypasses the L1 cache moves sectors and uses no tags.

use super::numbers::{LaneNumbers, changes, is_monotone, varying_bits};
use super::{LANES, Request, lanes_of, mask_of};
use machine::Arch;

/// Cost of a global memory request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sectors {
    /// Number of distinct sectors (32 bytes); the sum over the resulting requests if the request is split.
    pub taken: u32,
    /// Minimum number of sectors that hold as many bytes as all lanes request; at most `taken`.
    pub ideal: u32,
    /// Number of distinct cache lines (128 bytes).
    pub lines: u32,
    /// Number of passes through the tags of the L1 cache.
    pub tag_wavefronts: u32,
}

/// Returns the sectors and cache lines that a request of `bytes` per lane touches.
///
/// `None` if no lane is active, if the addresses are not aligned to the access size, or if `bytes` is 0 or
/// larger than a sector. An L1 cache that fetches whole lines (Kepler with `-dlcm=ca`) moves four sectors per
/// line.
pub fn global(arch: &Arch, bytes: u32, request: &Request) -> Option<Sectors> {
    let rules = &arch.requests;
    let size = bytes.checked_next_power_of_two()?;
    let bits = |number: u32| number.is_power_of_two().then(|| number.trailing_zeros());
    let sector_bits = bits(rules.sector_bytes.value)?;
    let line_bits = bits(rules.line_bytes.value)?.checked_sub(sector_bits)?;
    if bytes == 0 || request.active == 0 || size > rules.sector_bytes.value || !request.is_aligned(size) {
        return None;
    }
    let lanes_together = match rules.global_split_bytes.value {
        0 => LANES as u32,
        split => (split / size).clamp(1, LANES as u32),
    };
    let tags = Tags {
        low: u64::from(rules.tag_bank_low.value),
        high: u64::from(rules.tag_bank_high.value),
        sectors: rules.sectors_per_tag_wavefront.value,
    };
    let mut found = Sectors { taken: 0, ideal: 0, lines: 0, tag_wavefronts: 0 };
    for first in (0..LANES as u32).step_by(lanes_together as usize) {
        let part = request.active & mask_of(first, lanes_together);
        if part == 0 {
            continue;
        }
        let mut sectors = LaneNumbers::from_lanes(request, part).map(|address| address >> sector_bits);
        if !is_monotone(sectors.as_slice()) {
            sectors = sectors.distinct();
        }
        let taken = changes(sectors.as_slice()) + 1;
        let lines = sectors.map(|sector| sector >> line_bits);
        let is_one_line = varying_bits(lines.as_slice()) == 0;
        let lines = if is_one_line { lines.first() } else { lines.without_repeats() };
        found.taken += taken;
        found.lines = lines.len();
        found.tag_wavefronts += tags.wavefronts(&lines, taken);
    }
    if lanes_together < LANES as u32 {
        let all = LaneNumbers::from_lanes(request, request.active);
        found.lines = all.map(|address| address >> (sector_bits + line_bits)).distinct().len();
    }
    let wanted = request.active.count_ones() * bytes;
    found.ideal = wanted.div_ceil(rules.sector_bytes.value).min(found.taken);
    Some(found)
}

/// True if the opcode is an atomic operation or a reduction (`RED`, `ATOMG`, ...). For these opcodes,
/// [`global_reduction`] returns the cost in global memory.
pub fn is_reduction(mnemonic: &str) -> bool {
    matches!(mnemonic, "ATOM" | "ATOMG" | "RED" | "REDG")
}

/// Returns the cost of a reduction (`RED`) of `bytes` per lane. Lanes that address the same word are served
/// one after another, each in a separate pass.
///
/// Returns `None` under the same conditions as [`global`]. Sectors are exact on an H100; the tag look-ups of
/// one random pattern in 49 were off by one. Measured for 32-bit additions without a result; other atomic
/// operations are assumed to cost the same.
pub fn global_reduction(arch: &Arch, bytes: u32, request: &Request) -> Option<Sectors> {
    let mut all = global(arch, bytes, request)?;
    (all.taken, all.tag_wavefronts) = (0, 0);
    let mut rest = *request;
    while rest.active != 0 {
        let pass = Request { active: first_of_each_word(&rest), ..rest };
        let sectors = global(arch, bytes, &pass)?;
        all.taken += sectors.taken;
        all.tag_wavefronts += sectors.tag_wavefronts;
        rest.active &= !pass.active;
    }
    let wanted = request.active.count_ones() * bytes;
    all.ideal = wanted.div_ceil(arch.requests.sector_bytes.value).min(all.taken);
    Some(all)
}

/// Returns the mask of the lowest active lane for each distinct address.
fn first_of_each_word(request: &Request) -> u32 {
    let mut rest = request.active;
    let mut first = 0;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        first |= 1 << lane;
        let same = lanes_of(rest).filter(|&other| request.addresses[other] == request.addresses[lane]);
        rest = same.fold(rest, |rest, other| rest & !(1 << other));
    }
    first
}

/// Tags of the L1 cache. Two parity bits of the line number select one of four banks.
struct Tags {
    /// Mask of the line number bits whose parity is the low bit of the bank number.
    low: u64,
    high: u64,
    /// Maximum number of sectors that one pass can request.
    sectors: u32,
}

impl Tags {
    /// Returns the number of passes that these lines and sectors take. One pass serves one line per bank and
    /// at most `self.sectors` sectors.
    fn wavefronts(&self, lines: &LaneNumbers, sectors: u32) -> u32 {
        let by_sectors = sectors.div_ceil(self.sectors.max(1));
        if lines.len() == 1 {
            return by_sectors;
        }
        let mut counts = [0_u32; 4];
        for &line in lines.as_slice() {
            counts[self.bank(line)] += 1;
        }
        counts.into_iter().max().map_or(0, |busiest| busiest.max(by_sectors))
    }

    fn bank(&self, line: u64) -> usize {
        // Computes the parities of both 32-bit halves at once.
        let mut folded = (line & self.low) | (line & self.high) << 32;
        for bits in [16, 8, 4, 2, 1] {
            folded ^= folded >> bits;
        }
        ((folded & 1) | (folded >> 31 & 2)) as usize
    }
}
