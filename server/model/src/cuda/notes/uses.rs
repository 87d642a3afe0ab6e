//! Memory requests of each access in the text.

use crate::cuda::source::place::Place;
use crate::cuda::values::strided::StridedRequest;
use crate::cuda::values::value::MemoryRegion;
use crate::requests::{Request, lanes_of};
use machine::MemorySpace;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// An access in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    pub place: Place,
    pub kind: AccessKind,
}

/// Kind of an access to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// Memory requests of one access in the text, summed over the warps that were run.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteUse {
    /// Global or shared.
    pub space: MemorySpace,
    /// Bytes that a lane moves per request; the largest such number, if a lane moves several pieces.
    pub bytes: u32,
    /// Bytes that the type of the structure aligns, of an access to a field; 0 for any other.
    pub within: u32,
    /// The access moves a matrix fragment, whose mapping to lanes the hardware fixes.
    pub is_fragment: bool,
    /// Requests whose addresses are known.
    pub requests: f64,
    /// Wavefronts (shared memory) or sectors (global memory) of the known requests.
    pub taken: f64,
    /// Fewest wavefronts or sectors that could move the bytes of the known requests.
    pub ideal: f64,
    /// Requests whose addresses or active lanes depend on what memory holds.
    pub unknown: f64,
    /// One of the unknown requests, if the addresses of all of them depend on the same unknown number.
    pub strided: Option<Box<StridedRequest>>,
    /// The known request with the most wavefronts or sectors beyond the number that it needs.
    pub worst: Option<Request>,
    pub(super) worst_lost: u32,
    /// Sum of the addresses of the requests' first lanes, modulo 4 GiB each.
    pub first_addresses: f64,
    /// Requests in aligned pairs, in which each lane's second request directly follows the bytes of its first; and those in fours.
    pub in_pairs: f64,
    pub in_quads: f64,
    /// A request of which a lane's address is no multiple of the bytes that it moves, though the array begins at one; and these bytes.
    pub misaligned: Option<(Request, u32)>,
    /// The previous request, and the length of the run that it ends: in a run, each lane's requests are for consecutive bytes.
    last: Option<Request>,
    run: u32,
    /// Requests of the run after the last that ended a pair, and after the last that ended four.
    open: [f64; 2],
}

impl SiteUse {
    fn new(space: MemorySpace) -> Self {
        Self {
            space,
            bytes: 0,
            within: 0,
            is_fragment: false,
            requests: 0.0,
            taken: 0.0,
            ideal: 0.0,
            unknown: 0.0,
            strided: None,
            worst: None,
            worst_lost: 0,
            first_addresses: 0.0,
            in_pairs: 0.0,
            in_quads: 0.0,
            misaligned: None,
            last: None,
            run: 0,
            open: [0.0; 2],
        }
    }

    /// True if all requests come in runs of `count` (2 or 4) for consecutive bytes, so that an unrolled loop can join each run into one.
    pub fn is_in_runs_of(&self, count: u64) -> bool {
        let joined = match count {
            2 => self.in_pairs,
            4 => self.in_quads,
            _ => return false,
        };
        joined > 0.5 && self.requests - joined < 0.5
    }

    /// Notes a request for this many bytes by each lane, after all that were noted.
    pub(super) fn follow(&mut self, request: &Request, bytes: u32) {
        let bytes = u64::from(bytes);
        let is_next = self.last.as_ref().is_some_and(|last| {
            let behind = |lane: usize| request.addresses[lane] == last.addresses[lane].wrapping_add(bytes);
            last.active == request.active && lanes_of(request.active).all(behind)
        });
        self.run = if is_next { self.run + 1 } else { 1 };
        self.last = Some(*request);
        let [pair, quad] = &mut self.open;
        for (count, joined, open) in [(2, &mut self.in_pairs, pair), (4, &mut self.in_quads, quad)] {
            *open = if is_next { *open + 1.0 } else { 1.0 };
            let width = u64::from(count) * bytes;
            let ends = |lane: usize| (request.addresses[lane] + bytes).is_multiple_of(width.max(1));
            if self.run >= count && lanes_of(request.active).all(ends) {
                *joined += f64::from(count);
                *open = 0.0;
            }
        }
    }

    /// Ends the run: what follows is not read together with what came before.
    fn end_run(&mut self) {
        (self.last, self.run, self.open) = (None, 0, [0.0; 2]);
    }

    /// Goes on with the run for this many requests: those that end a pair, or four, come at the same distances as before.
    fn run_on(&mut self, requests: f64) {
        let [pair, quad] = &mut self.open;
        for (count, joined, open) in [(2.0, &mut self.in_pairs, pair), (4.0, &mut self.in_quads, quad)] {
            let all = *open + requests;
            *joined += all - all % count;
            *open = all % count;
        }
    }
}

/// Accesses of a run, by place.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    by_site: FxHashMap<Site, u32>,
    pub(crate) all: Vec<(Site, SiteUse)>,
    /// Loads whose values registers hold still.
    pub(super) held: Vec<(MemoryRegion, Range<u64>, Box<Request>)>,
}

/// Snapshot of the counters of all places, from which the counts of a loop's trip are computed.
pub(super) type Counters = Vec<[f64; 7]>;

impl Uses {
    pub(super) fn at(&mut self, site: Site, space: MemorySpace) -> &mut SiteUse {
        let next = self.all.len() as u32;
        let index = *self.by_site.entry(site).or_insert(next);
        if index == next {
            self.all.push((site, SiteUse::new(space)));
        }
        &mut self.all[index as usize].1
    }

    pub(super) fn counters(&self) -> Counters {
        self.all
            .iter()
            .map(|(_, of)| {
                [of.requests, of.taken, of.ideal, of.unknown, of.first_addresses, of.in_pairs, of.in_quads]
            })
            .collect()
    }

    /// Adds the difference between two snapshots, `times` over.
    pub(super) fn repeat(&mut self, from: &Counters, to: &Counters, times: f64) {
        for (at, (_, of)) in self.all.iter_mut().enumerate() {
            let before = from.get(at).copied().unwrap_or_default();
            let Some(after) = to.get(at) else { continue };
            let added = |number: usize| (after[number] - before[number]) * times;
            of.requests += added(0);
            of.taken += added(1);
            of.ideal += added(2);
            of.unknown += added(3);
            of.first_addresses += added(4);
            // A run over all of these trips is aligned in some of them only.
            let requests = after[0] - before[0];
            if requests > 0.0 && f64::from(of.run) >= requests {
                of.run_on(added(0));
            } else {
                of.in_pairs += added(5);
                of.in_quads += added(6);
            }
        }
    }

    /// Forgets what registers hold of memory: of one space, or of all. No access is joined with one before that; nor with one of
    /// another warp, each of which begins here.
    pub(super) fn release(&mut self, is_shared: Option<bool>) {
        if is_shared.is_none() {
            self.all.iter_mut().for_each(|(_, of)| of.end_run());
        }
        self.held
            .retain(|(place, ..)| is_shared.is_some_and(|shared| (*place == MemoryRegion::Shared) != shared));
    }
}
