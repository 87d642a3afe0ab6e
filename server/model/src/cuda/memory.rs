//! Accesses to memory, counted by the rules of requests.

use super::interpreter::Interpreter;
use super::lanes::LANES;
use super::types::Type;
use super::uses::{AccessKind, Site};
use super::value::{Place, Pointer};
use crate::requests::{Request, SharedKind, global, global_reduction, lanes_of, shared};
use machine::MemorySpace;
use std::ops::Range;

/// The most loads that registers are taken to hold.
const MOST_HELD: usize = 64;

impl Interpreter<'_> {
    /// Counts an access of the active lanes to a value at an address.
    pub(super) fn access(&mut self, pointer: &Pointer, kind: AccessKind, range: &Range<u32>) {
        let mask = self.active;
        let space = match pointer.place {
            Place::Shared => MemorySpace::Shared,
            Place::Parameter(_) | Place::Global(_) | Place::Unknown => MemorySpace::Global,
            Place::Constant | Place::Local => return,
        };
        if mask == 0 || !self.counts {
            return;
        }
        self.watch_access(pointer, kind, range);
        if kind != AccessKind::Load {
            self.uses.release(Some(space == MemorySpace::Shared));
        }
        let site = self.site(range, kind);
        let pieces = pointer.to.pieces();
        let is_known = pointer.offset.known & mask == mask
            && self.doubt & mask == 0
            && pointer.place != Place::Unknown
            && pieces.is_some();
        let Some(pieces) = pieces.filter(|_| is_known) else {
            self.uses.at(site, space).unknown += 1.0;
            return;
        };
        for (offset, bytes) in pieces {
            self.request(&site, space, pointer, offset, bytes as u32);
        }
    }

    fn request(&mut self, site: &Site, space: MemorySpace, pointer: &Pointer, piece: u64, bytes: u32) {
        let mask = self.active;
        let start = base_of(pointer.place).wrapping_add(piece);
        let mut addresses = [0; LANES];
        for lane in lanes_of(mask) {
            addresses[lane] = start.wrapping_add(pointer.offset.at[lane] as u64);
        }
        let request = Request { active: mask, addresses };
        if site.kind == AccessKind::Load {
            let bytes = u64::from(bytes);
            let base = pointer.offset.base;
            let is_same = |held: &(Place, Range<u64>, Box<Request>)| {
                held.0 == pointer.place && held.1.end - held.1.start == bytes && *held.2 == request
            };
            // A value whose address has an unknown part may be another one with the same rest.
            if base.is_none() {
                if self.uses.held.iter().any(is_same) {
                    return;
                }
                if self.uses.held.len() < MOST_HELD {
                    self.uses.held.push((pointer.place, piece..piece + bytes, Box::new(request)));
                }
            }
        }
        let multiple = pointer.offset.base.map(|base| self.symbols.multiple(base));
        let found = match space {
            MemorySpace::Shared => {
                // Halves of a warp that go one after the other by their width do not conflict.
                let width = LANES as u32 * bytes.next_power_of_two();
                let all_banks =
                    self.arch.resources.shared_banks.value * self.arch.resources.shared_bank_width.value;
                let least = width.div_ceil(all_banks.max(1));
                let of = match site.kind {
                    AccessKind::Load => SharedKind::Load,
                    AccessKind::Store => SharedKind::Store,
                    AccessKind::Atomic => SharedKind::Atomic,
                };
                shared(self.arch, of, bytes, &request)
                    .map(|found| (found.taken, found.ideal.max(least).min(found.taken)))
            }
            _ => self.sectors(site.kind, bytes, &request, multiple),
        };
        let own = self.uses.at(site.clone(), space);
        own.bytes = own.bytes.max(bytes);
        own.within = own.within.max(pointer.within as u32);
        let Some((taken, ideal)) = found else {
            own.unknown += 1.0;
            return;
        };
        own.requests += 1.0;
        own.first_addresses += f64::from(addresses[mask.trailing_zeros() as usize] as u32);
        own.taken += f64::from(taken);
        own.ideal += f64::from(ideal);
        let lost = taken.saturating_sub(ideal);
        if own.worst.is_none() || lost > own.worst_lost {
            own.worst = Some(request);
            own.worst_lost = lost;
        }
    }

    /// Sectors taken and needed; at the best alignment, where nobody knows it.
    fn sectors(
        &self,
        kind: AccessKind,
        bytes: u32,
        request: &Request,
        multiple: Option<i64>,
    ) -> Option<(u32, u32)> {
        let count = |request: &Request| {
            let found = match kind {
                AccessKind::Atomic => global_reduction(self.arch, bytes, request),
                _ => global(self.arch, bytes, request),
            };
            found.map(|found| (found.taken, found.ideal))
        };
        let sector = u64::from(self.arch.requests.sector_bytes.value);
        let step = multiple.map_or(sector, |multiple| multiple.unsigned_abs().max(u64::from(bytes)));
        if step.is_multiple_of(sector) {
            return count(request);
        }
        let step = step.next_power_of_two().min(u64::from(bytes.next_power_of_two()));
        let shifts = (0..sector.div_ceil(step)).map(|shift| shift * step);
        let moved = |shift: u64| Request {
            addresses: request.addresses.map(|at| at.wrapping_add(shift)),
            ..*request
        };
        shifts.filter_map(|shift| count(&moved(shift))).min()
    }
}

/// An address for each array, far from all others and aligned as an allocation is.
fn base_of(place: Place) -> u64 {
    match place {
        Place::Parameter(at) => (u64::from(at) + 1) << 40,
        Place::Global(number) => 1 << 56 | u64::from(number) << 32,
        _ => 0,
    }
}

/// Whether a type can be the element of an access.
pub(super) fn is_accessed(of: &Type) -> bool {
    !matches!(of, Type::Array(..) | Type::Void)
}
