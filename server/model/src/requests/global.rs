//! Sectors, lines and tag look-ups of an access to global memory.

use super::distinct::Numbers;
use super::{LANES, Request, lanes_of, mask_of};
use machine::Arch;

/// What a request of global memory touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sectors {
    /// Different sectors (32 bytes); where the request is split, the sum over its parts.
    pub taken: u32,
    /// What the lanes' bytes fill, each lane's counted; at most `taken`.
    pub ideal: u32,
    /// Different cache lines (128 bytes).
    pub lines: u32,
    /// Passes through the tags of the L1 cache.
    pub tag_wavefronts: u32,
}

/// What the lanes' accesses of `bytes` each touch.
///
/// `None` where no lane takes part, where the addresses are not aligned to their own size, and where a lane moves nothing
/// or more than a sector. Kepler splits what is wider than 4 bytes a lane into half and quarter warps, each a request of
/// its own. Where an L1 cache fetches whole lines (Kepler's, when it is on), four times `lines` is what moves.
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
        split => (split / size).max(1),
    };
    let tags = Tags { banks: rules.tag_banks.value, sectors: rules.sectors_per_tag_wavefront.value };
    let mut found = Sectors { taken: 0, ideal: 0, lines: 0, tag_wavefronts: 0 };
    let mut lines = Numbers::new();
    for first in (0..LANES as u32).step_by(lanes_together as usize) {
        let part = request.active & mask_of(first, lanes_together);
        if part == 0 {
            continue;
        }
        let mut sectors = Numbers::new();
        for lane in lanes_of(part) {
            sectors.push(request.addresses[lane] >> sector_bits);
        }
        let sectors = sectors.distinct();
        let mut part_lines = Numbers::new();
        for &sector in sectors.as_slice() {
            part_lines.push(sector >> line_bits);
        }
        let taken = sectors.as_slice().len() as u32;
        found.taken += taken;
        found.tag_wavefronts += tags.wavefronts(part_lines.as_slice(), taken);
        for &line in part_lines.as_slice() {
            lines.push(line);
        }
    }
    found.lines = lines.distinct().as_slice().len() as u32;
    let wanted = request.active.count_ones() * bytes;
    found.ideal = wanted.div_ceil(rules.sector_bytes.value).min(found.taken);
    Some(found)
}

/// The tags of the L1 cache.
struct Tags {
    banks: u32,
    /// Sectors that one pass can ask for.
    sectors: u32,
}

impl Tags {
    /// One pass serves a line of each bank and so many sectors.
    fn wavefronts(&self, lines: &[u64], sectors: u32) -> u32 {
        let mut counts = [0_u32; LANES];
        for &line in lines {
            counts[self.bank(line)] += 1;
        }
        let busiest = counts.into_iter().max().unwrap_or(0);
        busiest.max(sectors.div_ceil(self.sectors.max(1)))
    }

    /// Neighbouring pairs of bits of the line's number, folded onto each other.
    fn bank(&self, line: u64) -> usize {
        let folded = line ^ line >> 2 ^ line >> 4 ^ line >> 6 ^ line >> 8;
        (folded % u64::from(self.banks.clamp(1, LANES as u32))) as usize
    }
}
