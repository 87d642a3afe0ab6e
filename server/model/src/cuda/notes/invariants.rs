//! Loads that read the same addresses in every iteration of a loop, but that the compiler cannot hoist.
//!
//! Measured with nvcc (`advisor/src/rules/invariant_load.md`): a load stays in its loop if the loop reaches a
//! barrier or stores through a pointer that may point to the same array. The load can be hoisted if
//! `__restrict__` promises that no other pointer writes to the array.

use super::loop_text;
use super::uses::{AccessKind, Site};
use super::watched_loops::{Array, InvariantLoad, LoopLoad, LoopStore, WatchedLoop, WatchedLoops};
use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::state::WarpState;
use crate::cuda::values::value::{MemoryRegion, Pointer};
use crate::requests::lanes_of;
use std::ops::Range;
use syntax::cuda::Loop;

/// Minimum number of iterations in which a load must have been observed.
const MIN_TRIPS: u32 = 4; // limit: fewer are too few to tell a pattern

impl<'a> WatchedLoops<'a> {
    /// Records an access in the running loops.
    pub(super) fn access(
        &mut self,
        warp: &WarpState<'a>,
        pointer: &Pointer,
        kind: AccessKind,
        range: &Range<u32>,
    ) {
        if self.running.is_empty() && kind == AccessKind::Load {
            return;
        }
        let array = array_of(warp, pointer);
        if kind != AccessKind::Load {
            if let Array::At(place) = array
                && !self.stored.contains(&place)
            {
                self.stored.push(place);
            }
            let place = warp.place(range);
            for watch in &mut self.running {
                if !watch.stores.iter().any(|known| known.array == array && known.place == place) {
                    watch.stores.push(LoopStore { array, place });
                }
            }
            return;
        }
        let (active, depth, doubt) = (warp.active(), warp.frames.len(), warp.lanes.unsure_active());
        let is_macro = warp.used_at.is_some();
        let site = Site { place: warp.place(range), kind };
        let Some(watch) = self.running.last_mut().filter(|watch| watch.of.is_some()) else { return };
        let is_known = pointer.offset.known & active == active
            && doubt == 0
            && array != Array::Unknown
            && active == watch.lanes
            && depth == watch.depth
            && !is_macro;
        let trip = watch.trip;
        match watch.loads.iter_mut().find(|seen| seen.site == site) {
            Some(seen) => {
                let is_equal = |seen: &LoopLoad| {
                    seen.offset.base == pointer.offset.base
                        && lanes_of(active & seen.active)
                            .all(|lane| seen.offset.at[lane] == pointer.offset.at[lane])
                };
                seen.is_same &=
                    is_known && seen.array == array && active & !seen.active == 0 && is_equal(seen);
                seen.trips += u32::from(seen.last != trip);
                seen.last = trip;
            }
            None => watch.loads.push(LoopLoad {
                site,
                array,
                active,
                offset: pointer.offset.clone(),
                trips: 1,
                last: trip,
                is_same: is_known,
            }),
        }
    }

    /// Ends the innermost loop and determines which of its loads are invariant.
    pub(super) fn end(&mut self, warp: &WarpState<'a>) {
        let Some(watch) = self.running.pop() else { return };
        let Some(of) = watch.of else { return };
        for seen in &watch.loads {
            if !seen.is_same {
                self.verdicts.insert(seen.site, None);
            } else if watch.trip >= MIN_TRIPS && !self.verdicts.contains_key(&seen.site) {
                let found = self.kept(warp, &watch, seen, of);
                self.verdicts.insert(seen.site, found);
            }
        }
    }

    /// Returns the load if the compiler leaves it in its loop. `None` if the compiler may hoist the load, or
    /// if the result is unknown.
    fn kept(
        &self,
        warp: &WarpState<'a>,
        watch: &WatchedLoop<'a>,
        seen: &LoopLoad,
        of: &'a Loop,
    ) -> Option<InvariantLoad> {
        if seen.trips < watch.trip
            || watch.is_unclear
            || watch.stores.iter().any(|stored| [seen.array, Array::Unknown].contains(&stored.array))
            || !loop_text::is_invariant(warp, of, &seen.site.place.range(), &|range| {
                watch.stores.iter().any(|stored| stored.place.range() == *range)
            })
        {
            return None;
        }
        let is_restrict = |array: Array| match array {
            Array::At(MemoryRegion::Parameter(at)) => {
                warp.parameters.get(at as usize).is_some_and(|parameter| parameter.of.is_restrict)
            }
            _ => false,
        };
        let place = seen.site.place;
        let parameter = match seen.array {
            Array::At(MemoryRegion::Parameter(at)) => warp.parameters.get(at as usize),
            _ => None,
        };
        let kept = |kept_by: SourceSpan, is_kept_by_barrier| {
            // In a called function, the kernel parameter has a different name.
            let parameter = parameter.filter(|_| watch.depth == 1).map(|parameter| parameter.name.clone());
            Some(InvariantLoad { place, kept_by, is_kept_by_barrier, parameter })
        };
        match seen.array {
            Array::Shared(_) => watch.block_barrier.and_then(|by| kept(by, true)),
            Array::At(from @ (MemoryRegion::Parameter(_) | MemoryRegion::Global(_))) => {
                let is_volatile = parameter.is_some_and(|parameter| parameter.of.is_volatile);
                let may_be_called = matches!(from, MemoryRegion::Global(_)) && watch.calls_unknown;
                // If the kernel writes to the array anywhere, other blocks may write to it during the loop.
                if is_restrict(seen.array) || is_volatile || may_be_called || self.stored.contains(&from) {
                    return None;
                }
                // The compiler knows that two global variables do not alias.
                let may_be = |stored: &&LoopStore| match stored.array {
                    Array::At(MemoryRegion::Parameter(_)) => !is_restrict(stored.array),
                    Array::At(MemoryRegion::Global(_)) => !matches!(from, MemoryRegion::Global(_)),
                    _ => false,
                };
                let store = watch.stores.iter().find(may_be).and_then(|stored| kept(stored.place, false));
                let barrier = || watch.block_barrier.or(watch.group_barrier);
                store.or_else(|| barrier().and_then(|by| kept(by, true)))
            }
            Array::At(_) | Array::Unknown => None,
        }
    }
}

/// Returns the array that the pointer points into in all active lanes. [`Array::Unknown`] if the lanes point
/// into different arrays or a shared memory offset is unknown.
fn array_of(warp: &WarpState<'_>, pointer: &Pointer) -> Array {
    match pointer.place {
        MemoryRegion::Loaded(_) | MemoryRegion::Unknown => Array::Unknown,
        MemoryRegion::Shared => {
            let lanes = warp.active() & pointer.offset.known;
            if lanes == 0 || lanes != warp.active() || pointer.offset.base.is_some() {
                return Array::Unknown;
            }
            let start = |lane: usize| warp.shared.start_at(pointer.offset.at[lane]);
            let mut starts = lanes_of(lanes).map(start);
            let first = starts.next().flatten();
            match first.filter(|_| starts.all(|other| other == first)) {
                Some(start) => Array::Shared(start),
                None => Array::Unknown,
            }
        }
        place => Array::At(place),
    }
}
