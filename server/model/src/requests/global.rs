//! Sectors, lines and tag look-ups of an access to global memory.
//!
//! A request touches the distinct sectors (32 bytes) of its lanes, whatever a lane's width. The tags of the L1 cache
//! look up a line in each of four banks in one pass, and pass on 16 sectors. Source: measured on an H100,
//! `tests/measured/requests.csv`; the same with another order of banks on an RTX 5090 (cicuvc, 2026-09). For Maxwell to
//! Ada the rule is not published: sectors are assumed to be the same, and so are the tag banks.
//!
//! On Kepler a request of more than 4 bytes per lane is split into those of half and quarter warps. Its loads of global
//! memory bypass the L1 cache unless the code was compiled with `-dlcm=ca`, as do those of 5.x. Then sectors are what
//! moves, and tags play no role.

use super::numbers::{Numbers, changes, is_monotone, varying_bits};
use super::{LANES, Request, lanes_of, mask_of};
use machine::Arch;

/// Cost of a request to global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sectors {
    /// Distinct sectors (32 bytes); if the request is split, the sum over its parts.
    pub taken: u32,
    /// Sectors that the bytes of all lanes would fill without sharing; at most `taken`.
    pub ideal: u32,
    /// Distinct cache lines (128 bytes).
    pub lines: u32,
    /// Passes through the tags of the L1 cache.
    pub tag_wavefronts: u32,
}

/// Returns the sectors and lines that the lanes' accesses of `bytes` each touch.
///
/// `None` if no lane is active, if the addresses are not aligned to the access size, or if a lane moves nothing or more
/// than a sector. An L1 cache that fetches whole lines (Kepler's, when it is on) moves four times `lines`.
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
        let mut sectors = Numbers::from_lanes(request, part).map(|address| address >> sector_bits);
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
        let all = Numbers::from_lanes(request, request.active);
        found.lines = all.map(|address| address >> (sector_bits + line_bits)).distinct().len();
    }
    let wanted = request.active.count_ones() * bytes;
    found.ideal = wanted.div_ceil(rules.sector_bytes.value).min(found.taken);
    Some(found)
}

/// True if the opcode is an atomic or a reduction (`RED`, `ATOMG`, ...), whose cost in global memory
/// [`global_reduction`] returns.
pub fn is_reduction(mnemonic: &str) -> bool {
    matches!(mnemonic, "ATOM" | "ATOMG" | "RED" | "REDG")
}

/// Returns the cost of a reduction (`RED`) of `bytes` per lane: lanes with the same word are served one after another,
/// each in a new pass.
///
/// `None` as for [`global`]. Sectors are exact on an H100; the tag look-ups of one random pattern in 49 were off by
/// one. Measured for 32-bit additions without a result; other atomic operations are assumed to cost the same.
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

/// Returns the mask of active lanes whose address no lower active lane has.
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

/// The tags of the L1 cache: four banks, by two parities of the line's number.
struct Tags {
    /// Bits whose parity is the low bit of the bank's number.
    low: u64,
    high: u64,
    /// Sectors that one pass can request.
    sectors: u32,
}

impl Tags {
    /// Returns the passes for these lines and sectors: one pass serves a line of each bank and `self.sectors` sectors.
    fn wavefronts(&self, lines: &Numbers, sectors: u32) -> u32 {
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
        // Two parities of 32 bits side by side.
        let mut folded = (line & self.low) | (line & self.high) << 32;
        for bits in [16, 8, 4, 2, 1] {
            folded ^= folded >> bits;
        }
        ((folded & 1) | (folded >> 31 & 2)) as usize
    }
}
