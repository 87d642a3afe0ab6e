//! Memory requests of each access in the source code.

use crate::cuda::source::source_span::SourceSpan;
use crate::cuda::values::strided::StridedRequest;
use crate::cuda::values::value::MemoryRegion;
use crate::requests::{Request, lanes_of};
use machine::MemorySpace;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A memory access in the source code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    pub place: SourceSpan,
    pub kind: AccessKind,
}

/// Kind of a memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// Memory requests of one access in the source, summed over the warps that were run.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteUse {
    /// Memory space: global or shared.
    pub space: MemorySpace,
    /// Bytes that a lane moves per request; the maximum if the requests differ in size.
    pub bytes: u32,
    /// Alignment in bytes of the structure that contains the accessed field; 0 for other accesses.
    pub within: u32,
    /// True if the access moves a matrix fragment. The hardware fixes the mapping of a fragment to lanes.
    pub is_fragment: bool,
    /// Number of requests with known addresses.
    pub requests: f64,
    /// Wavefronts (shared memory) or sectors (global memory) of the known requests.
    pub taken: f64,
    /// Minimum number of wavefronts or sectors that could move the bytes of the known requests.
    pub ideal: f64,
    /// Number of requests whose addresses or active lanes are unknown, such as addresses that depend on
    /// memory contents.
    pub unknown: f64,
    /// True if the address of an unknown request is unknown. False if only the active lanes of all unknown requests
    /// are unknown.
    pub has_unknown_address: bool,
    /// The first unknown request, if the addresses of all unknown requests depend on the same symbol;
    /// otherwise `None`.
    pub strided: Option<Box<StridedRequest>>,
    /// The known request with the most excess wavefronts or sectors (taken minus ideal).
    pub worst: Option<Request>,
    pub(super) worst_lost: u32,
    /// Sum of the first active lane's address modulo 4 GiB, over the known requests.
    pub first_addresses: f64,
    /// Number of requests in aligned pairs. In each lane, the second request of a pair starts directly after the
    /// bytes of the first. `in_quads` counts requests in aligned groups of four.
    pub in_pairs: f64,
    pub in_quads: f64,
    /// The first request with a misaligned address in an aligned array, and the access size in bytes.
    pub misaligned: Option<(Request, u32)>,
    /// The previous request. `run` is the length of the run that ends with this request. In a run, the
    /// requests of each lane are for consecutive bytes.
    last: Option<Request>,
    run: u32,
    /// Number of requests in the run since the last complete pair, and since the last complete group of four.
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
            has_unknown_address: false,
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

    /// True if all requests are in runs of `count` (2 or 4) requests for consecutive bytes. An unrolled loop
    /// can combine each run into one wider request.
    pub fn is_in_runs_of(&self, count: u64) -> bool {
        let joined = match count {
            2 => self.in_pairs,
            4 => self.in_quads,
            _ => return false,
        };
        joined > 0.5 && self.requests - joined < 0.5
    }

    /// Appends a request for `bytes` per lane to the run, or starts a new run.
    pub(super) fn follow(&mut self, request: &Request, bytes: u32) {
        let bytes = u64::from(bytes);
        let is_next = self.last.as_ref().is_some_and(|last| {
            let following = |lane: usize| request.addresses[lane] == last.addresses[lane].wrapping_add(bytes);
            last.active == request.active && lanes_of(request.active).all(following)
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

    /// Ends the run: later requests are not combined with earlier requests.
    fn end_run(&mut self) {
        (self.last, self.run, self.open) = (None, 0, [0.0; 2]);
    }

    /// Extends the run by `requests` requests, and counts the pairs and groups of four that these requests
    /// complete.
    fn run_on(&mut self, requests: f64) {
        let [pair, quad] = &mut self.open;
        for (count, joined, open) in [(2.0, &mut self.in_pairs, pair), (4.0, &mut self.in_quads, quad)] {
            let all = *open + requests;
            *joined += all - all % count;
            *open = all % count;
        }
    }
}

/// Accesses of a kernel run, by source position.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    by_site: FxHashMap<Site, u32>,
    pub(crate) all: Vec<(Site, SiteUse)>,
    /// Loads whose values are still in registers, as memory region, byte range within the loaded value, and request.
    pub(super) held: Vec<(MemoryRegion, Range<u64>, Box<Request>)>,
    /// Requests of which it is unknown which lanes take part, as if all lanes did that may.
    pub(super) doubted: Option<Box<Uses>>,
}

/// Snapshot of the counters of all accesses. The difference between two snapshots is the count for a loop
/// iteration.
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

    /// Adds the difference between two snapshots to the counters, multiplied by `times`.
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
            // If the run spans all these iterations, only some iterations complete an aligned pair or group
            // of four.
            let requests = after[0] - before[0];
            if requests > 0.0 && f64::from(of.run) >= requests {
                of.run_on(added(0));
            } else {
                of.in_pairs += added(5);
                of.in_quads += added(6);
            }
        }
    }

    /// Discards the values in registers: values from shared memory (`true`), values from other memory
    /// (`false`), or all values (`None`). `None` also ends all runs, and is used at barriers, fences and the
    /// start of a warp.
    pub(super) fn release(&mut self, is_shared: Option<bool>) {
        if let Some(doubted) = &mut self.doubted {
            doubted.release(is_shared);
        }
        if is_shared.is_none() {
            self.all.iter_mut().for_each(|(_, of)| of.end_run());
        }
        self.held
            .retain(|(place, ..)| is_shared.is_some_and(|shared| (*place == MemoryRegion::Shared) != shared));
    }
}
