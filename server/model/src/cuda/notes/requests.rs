//! Counts the memory requests of accesses by the rules of [`crate::requests`].

use super::uses::{AccessKind, Site, Uses};
use crate::cuda::state::WarpState;
use crate::cuda::values::per_lane::LANES;
use crate::cuda::values::strided::{Strided, StridedRequest, tried};
use crate::cuda::values::value::{MemoryRegion, Pointer};
use crate::requests::{Request, SharedKind, global, global_reduction, lanes_of, shared};
use machine::MemorySpace;
use std::ops::Range;

/// Maximum number of loads whose values are assumed to stay in registers.
const MAX_HELD: usize = 64; // limit: registers of a thread
/// Granularity of a fragment's stride, in bytes. Source: CUDA C++ Programming Guide, `load_matrix_sync`.
const LINE_UNIT: i64 = 16;

impl Uses {
    /// Counts the requests of an access. `shared` overrides the kind of the shared memory requests.
    pub(super) fn count(
        &mut self,
        warp: &WarpState<'_>,
        site: Site,
        space: MemorySpace,
        pointer: &Pointer,
        shared: Option<SharedKind>,
    ) {
        let mask = warp.active();
        let pieces = pointer.to.pieces();
        let is_sure = warp.lanes.doubt() & mask == 0;
        let is_clear = is_sure && pointer.place != MemoryRegion::Unknown;
        let is_known = pointer.offset.known & mask == mask && pointer.place != MemoryRegion::Unknown;
        let is_counted = is_known && (is_sure || warp.lanes.may_be_many());
        let Some(pieces) = pieces.filter(|_| is_counted) else {
            self.count_unknown(warp, site, space, pointer, is_clear);
            return;
        };
        if !is_sure {
            self.at(site, space).unknown += 1.0;
        }
        let to = if is_sure { self } else { self.doubted.get_or_insert_default() };
        let shared = shared.unwrap_or(match site.kind {
            AccessKind::Load => SharedKind::Load,
            AccessKind::Store => SharedKind::Store,
            AccessKind::Atomic => SharedKind::Atomic,
        });
        for (offset, bytes) in pieces {
            to.request(warp, site, (space, shared), pointer, offset, bytes as u32);
        }
    }

    /// Counts the request for the `bytes` bytes at byte offset `piece` of a value.
    fn request(
        &mut self,
        warp: &WarpState<'_>,
        site: Site,
        (space, kind): (MemorySpace, SharedKind),
        pointer: &Pointer,
        piece: u64,
        bytes: u32,
    ) {
        let mask = warp.active();
        let start = base_of(pointer.place).wrapping_add(piece);
        let mut addresses = [0; LANES];
        for lane in lanes_of(mask) {
            addresses[lane] = start.wrapping_add(pointer.offset.at[lane] as u64);
        }
        let request = Request { active: mask, addresses };
        if site.kind == AccessKind::Load {
            let bytes = u64::from(bytes);
            let base = pointer.offset.base;
            let is_same = |held: &(MemoryRegion, Range<u64>, Box<Request>)| {
                held.0 == pointer.place && held.1.end - held.1.start == bytes && *held.2 == request
            };
            // If the base is unknown, equal offsets do not imply equal addresses.
            if base.is_none() {
                if self.held.iter().any(is_same) {
                    return;
                }
                if self.held.len() < MAX_HELD {
                    self.held.push((pointer.place, piece..piece + bytes, Box::new(request)));
                }
            }
        }
        let multiple = pointer.offset.base.map(|base| warp.symbols.multiple(base));
        let found = match space {
            MemorySpace::Shared => {
                // A request wider than all banks needs several wavefronts even without conflicts.
                let width = LANES as u32 * bytes.next_power_of_two();
                let all_banks =
                    warp.arch.resources.shared_banks.value * warp.arch.resources.shared_bank_width.value;
                let least = width.div_ceil(all_banks.max(1));
                shared(warp.arch, kind, bytes, &request)
                    .map(|found| (found.taken, found.ideal.max(least).min(found.taken)))
            }
            _ => sectors(warp, site.kind, bytes, &request, multiple),
        };
        let own = self.at(site, space);
        own.bytes = own.bytes.max(bytes);
        own.within = own.within.max(pointer.within as u32);
        let is_off = |lane: usize| !request.addresses[lane].is_multiple_of(u64::from(bytes.max(1)));
        // Only the compiler knows the alignment of shared arrays.
        if space == MemorySpace::Global
            && bytes.is_power_of_two()
            && pointer.offset.base.is_none()
            && lanes_of(mask).any(is_off)
        {
            own.misaligned.get_or_insert((request, bytes));
        }
        let Some((taken, ideal)) = found else {
            own.unknown += 1.0;
            return;
        };
        own.requests += 1.0;
        own.first_addresses += f64::from(addresses[mask.trailing_zeros() as usize] as u32);
        own.follow(&request, bytes);
        own.taken += f64::from(taken);
        own.ideal += f64::from(ideal);
        let lost = taken.saturating_sub(ideal);
        if own.worst.is_none() || lost > own.worst_lost {
            own.worst = Some(request);
            own.worst_lost = lost;
        }
    }

    /// Counts a request with unknown addresses, and records the strided form of the addresses if they have
    /// one. `is_clear` is true if the array and the active lanes are known.
    pub(super) fn count_unknown(
        &mut self,
        warp: &WarpState<'_>,
        site: Site,
        space: MemorySpace,
        pointer: &Pointer,
        is_clear: bool,
    ) {
        let (kind, mask) = (site.kind, warp.active());
        let own = self.at(site, space);
        let unit = if own.is_fragment { LINE_UNIT } else { 1 };
        let is_first = own.unknown <= 0.0;
        own.unknown += 1.0;
        own.has_unknown_address = true;
        let known = own.strided.take();
        let strided = pointer
            .offset
            .strided
            .as_deref()
            .filter(|strided| is_clear && space == MemorySpace::Global && strided.known & mask == mask);
        let Some(strided) = strided else { return };
        let noted = match known {
            Some(known) => Some(known).filter(|known| known.by == strided.by),
            None if is_first => strided_request(warp, kind, pointer, strided, unit).map(Box::new),
            None => None,
        };
        self.at(site, space).strided = noted;
    }
}

/// Returns a request with an unknown stride. The trial strides keep the lane addresses at multiples of `unit`
/// bytes. `None` if the stride has no source expression, the access size is unknown, or no trial stride can
/// be counted.
fn strided_request(
    warp: &WarpState<'_>,
    kind: AccessKind,
    pointer: &Pointer,
    strided: &Strided,
    unit: i64,
) -> Option<StridedRequest> {
    let number = warp.symbols.in_words(strided.by)?;
    let bytes = u32::try_from(pointer.to.size()?).ok()?;
    let multiple = strided.base.map(|base| warp.symbols.multiple(base));
    let at = |number: i64| {
        let mut addresses = [0; LANES];
        for lane in lanes_of(warp.active()) {
            let offset = strided.at[lane].wrapping_add(strided.times[lane].wrapping_mul(number));
            addresses[lane] = base_of(pointer.place).wrapping_add(offset as u64);
        }
        Request { active: warp.active(), addresses }
    };
    let counted = |number: i64| {
        let (taken, ideal) = sectors(warp, kind, bytes, &at(number), multiple)?;
        Some((number, taken, ideal))
    };
    // Strides that would misalign a lane are assumed not to occur.
    let times = strided.times.to_array();
    let is_aligned = |number: &i64| times.iter().all(|times| times.wrapping_mul(*number) % unit == 0);
    let sectors: Vec<_> = tried().filter(is_aligned).filter_map(counted).collect();
    if sectors.is_empty() {
        return None;
    }
    Some(StridedRequest { by: strided.by, number, bytes, times, large: at(StridedRequest::LARGE), sectors })
}

/// Returns the sectors that a request takes and the sectors that it needs. If the alignment is unknown, the
/// alignment with the fewest sectors is assumed.
fn sectors(
    warp: &WarpState<'_>,
    kind: AccessKind,
    bytes: u32,
    request: &Request,
    multiple: Option<i64>,
) -> Option<(u32, u32)> {
    let count = |request: &Request| {
        let found = match kind {
            AccessKind::Atomic => global_reduction(warp.arch, bytes, request),
            _ => global(warp.arch, bytes, request),
        };
        found.map(|found| (found.taken, found.ideal))
    };
    let sector = u64::from(warp.arch.requests.sector_bytes.value);
    let step = multiple.map_or(sector, |multiple| multiple.unsigned_abs().max(u64::from(bytes)));
    if step.is_multiple_of(sector) {
        return count(request);
    }
    let step = step.next_power_of_two().min(u64::from(bytes.next_power_of_two()));
    let shifts = (0..sector.div_ceil(step)).map(|shift| shift * step);
    let moved =
        |shift: u64| Request { addresses: request.addresses.map(|at| at.wrapping_add(shift)), ..*request };
    shifts.filter_map(|shift| count(&moved(shift))).min()
}

/// Returns a synthetic base address for an array. The base addresses are far apart and aligned like
/// allocations.
fn base_of(place: MemoryRegion) -> u64 {
    match place {
        MemoryRegion::Parameter(at) => (u64::from(at) + 1) << 40,
        MemoryRegion::Loaded(number) => 1 << 57 | u64::from(number) << 32,
        MemoryRegion::Global(number) => 1 << 56 | u64::from(number) << 32,
        _ => 0,
    }
}
