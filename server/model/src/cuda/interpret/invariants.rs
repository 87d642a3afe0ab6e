//! Loads that each pass of a loop makes from the same addresses, though the compiler cannot move them out of it.
//!
//! What nvcc moves was measured (`advisor/src/rules/invariant_load.md`): a load stays in its loop if the loop stores through a pointer that
//! may point to the same array, or reaches a barrier, unless `__restrict__` promises that no other pointer writes there.

use super::interpreter::Interpreter;
use super::loop_text;
use crate::cuda::notes::uses::AccessKind;
use crate::cuda::notes::watch::{Array, InvariantLoad, Seen, Stored, Watch};
use crate::cuda::values::value::{Place, Pointer, Value};
use crate::requests::lanes_of;
use std::ops::Range;
use syntax::cuda::Loop;

/// Passes in which a load must have been seen.
const LEAST_TRIPS: u32 = 4;

impl<'a> Interpreter<'a> {
    /// Begins a pass of the innermost loop, in front of its condition.
    pub(super) fn watch_trip(&mut self, lanes: u32) {
        if let Some(watch) = self.watches.last_mut() {
            watch.trip += 1;
            watch.lanes = lanes;
        }
    }

    /// Says which lanes run the pass that was begun: none where the loop ends.
    pub(super) fn watch_lanes(&mut self, lanes: u32) {
        if let Some(watch) = self.watches.last_mut() {
            watch.lanes = lanes;
            watch.trip -= u32::from(lanes == 0 && watch.trip > 0);
        }
    }

    /// Notes an access in the loops that are running.
    pub(super) fn watch_access(&mut self, pointer: &Pointer, kind: AccessKind, range: &Range<u32>) {
        if self.watches.is_empty() && kind == AccessKind::Load {
            return;
        }
        let array = self.array_of(pointer);
        if kind != AccessKind::Load {
            if let Array::At(place) = array
                && !self.stored.contains(&place)
            {
                self.stored.push(place);
            }
            let place = (self.item(), self.used_at.clone().unwrap_or_else(|| range.clone()));
            for watch in &mut self.watches {
                if !watch.stores.iter().any(|known| known.array == array && known.place == place) {
                    watch.stores.push(Stored { array, place: place.clone() });
                }
            }
            return;
        }
        let (active, depth, doubt) =
            (self.active, self.frames.len(), (self.doubt | self.maybe) & self.active);
        let is_macro = self.used_at.is_some();
        let site = self.site(range, kind);
        let Some(watch) = self.watches.last_mut().filter(|watch| watch.of.is_some()) else { return };
        let is_known = pointer.offset.known & active == active
            && doubt == 0
            && array != Array::Unknown
            && active == watch.lanes
            && depth == watch.depth
            && !is_macro;
        let trip = watch.trip;
        match watch.loads.iter_mut().find(|seen| seen.site == site) {
            Some(seen) => {
                let is_equal = |seen: &Seen| {
                    seen.offset.base == pointer.offset.base
                        && lanes_of(active & seen.active)
                            .all(|lane| seen.offset.at[lane] == pointer.offset.at[lane])
                };
                seen.is_same &=
                    is_known && seen.array == array && active & !seen.active == 0 && is_equal(seen);
                seen.trips += u32::from(seen.last != trip);
                seen.last = trip;
            }
            None => watch.loads.push(Seen {
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

    /// Notes a barrier of the block, or of a group of its threads.
    pub(super) fn watch_barrier(&mut self, range: &Range<u32>, is_of_block: bool) {
        if !self.counts || self.watches.is_empty() {
            return;
        }
        let place = (self.item(), self.used_at.clone().unwrap_or_else(|| range.clone()));
        for watch in &mut self.watches {
            let barrier = if is_of_block { &mut watch.block_barrier } else { &mut watch.group_barrier };
            barrier.get_or_insert_with(|| place.clone());
        }
    }

    /// Notes something that may write anywhere.
    pub(super) fn watch_unclear(&mut self) {
        self.watches.iter_mut().for_each(|watch| watch.is_unclear = true);
    }

    /// Notes a call of a function of which nothing is known.
    pub(super) fn watch_unknown_call(&mut self, arguments: &[Value]) {
        let is_pointer = |value: &Value| {
            matches!(
                value.value_type(),
                crate::cuda::source::types::Type::Pointer(_) | crate::cuda::source::types::Type::Array(..)
            )
        };
        if arguments.iter().any(is_pointer) {
            self.watch_unclear();
        }
        self.watches.iter_mut().for_each(|watch| watch.calls_unknown = true);
    }

    /// Ends the innermost loop.
    pub(super) fn watch_end(&mut self) {
        let Some(watch) = self.watches.pop() else { return };
        let Some(of) = watch.of else { return };
        for seen in &watch.loads {
            if !seen.is_same {
                self.invariant.insert(seen.site.clone(), None);
            } else if watch.trip >= LEAST_TRIPS && !self.invariant.contains_key(&seen.site) {
                let found = self.kept(&watch, seen, of);
                self.invariant.insert(seen.site.clone(), found);
            }
        }
    }

    /// A load that the compiler leaves in its loop; `None` if it does not, or if that is unknown.
    fn kept(&self, watch: &Watch<'a>, seen: &Seen, of: &'a Loop) -> Option<InvariantLoad> {
        if seen.trips < watch.trip
            || watch.is_unclear
            || watch.stores.iter().any(|stored| [seen.array, Array::Unknown].contains(&stored.array))
            || !loop_text::is_invariant(self, of, &seen.site.range(), &|range| {
                watch.stores.iter().any(|stored| stored.place.1 == *range)
            })
        {
            return None;
        }
        let is_restrict = |array: Array| match array {
            Array::At(Place::Parameter(at)) => {
                self.parameters.get(at as usize).is_some_and(|parameter| parameter.of.is_restrict)
            }
            _ => false,
        };
        let place = (seen.site.item, seen.site.range());
        let parameter = match seen.array {
            Array::At(Place::Parameter(at)) => self.parameters.get(at as usize),
            _ => None,
        };
        let kept = |by: &(u32, Range<u32>), is_kept_by_barrier| {
            // In a function that the kernel calls it has another name.
            let parameter = parameter.filter(|_| watch.depth == 1).map(|parameter| parameter.name.clone());
            Some(InvariantLoad { place: place.clone(), kept_by: by.clone(), is_kept_by_barrier, parameter })
        };
        match seen.array {
            Array::Shared(_) => watch.block_barrier.as_ref().and_then(|by| kept(by, true)),
            Array::At(from @ (Place::Parameter(_) | Place::Global(_))) => {
                let is_volatile = parameter.is_some_and(|parameter| parameter.of.is_volatile);
                let may_be_called = matches!(from, Place::Global(_)) && watch.calls_unknown;
                // What the kernel writes elsewhere other blocks may write meanwhile.
                if is_restrict(seen.array) || is_volatile || may_be_called || self.stored.contains(&from) {
                    return None;
                }
                // The compiler knows that two variables are not one.
                let may_be = |stored: &&Stored| match stored.array {
                    Array::At(Place::Parameter(_)) => !is_restrict(stored.array),
                    Array::At(Place::Global(_)) => !matches!(from, Place::Global(_)),
                    _ => false,
                };
                let store = watch.stores.iter().find(may_be).and_then(|stored| kept(&stored.place, false));
                let barrier = || watch.block_barrier.as_ref().or(watch.group_barrier.as_ref());
                store.or_else(|| barrier().and_then(|by| kept(by, true)))
            }
            Array::At(_) | Array::Unknown => None,
        }
    }

    fn array_of(&self, pointer: &Pointer) -> Array {
        match pointer.place {
            Place::Unknown => Array::Unknown,
            Place::Shared => {
                let lanes = self.active & pointer.offset.known;
                if lanes == 0 || lanes != self.active || pointer.offset.base.is_some() {
                    return Array::Unknown;
                }
                let start = |lane: usize| self.shared_start(pointer.offset.at[lane]);
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
}

/// Whether a method changes nothing in memory and orders nothing.
pub(super) fn is_pure_method(name: &str) -> bool {
    const PURE: [&str; 9] = [
        "thread_rank",
        "num_threads",
        "size",
        "thread_index",
        "group_index",
        "meta_group_rank",
        "meta_group_size",
        "block_rank",
        "num_blocks",
    ];
    PURE.contains(&name)
}
