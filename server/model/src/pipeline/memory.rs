//! Global memory as seen by one SM: its L1 cache, and its shares of the L2 cache and of DRAM.
//!
//! One SM is simulated. The other SMs are assumed to do the same at the same time, so the simulated SM gets its share
//! of each chip-wide resource. Requests of other SMs affect whether a sector that misses the L1 cache comes from the L2
//! cache or from DRAM. The shares are estimated for each array from the distinct bytes that the launch accesses.

use super::cache::Cache;
use super::code::cycles;
use super::engine::TransferRequest;
use super::lines::Lines;
use super::remote::RemoteRequest;
use super::slices::{Changes, Rates, Slices};
use machine::{Known, Pipeline};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// Memory request of a warp.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact about the access")]
pub(super) struct MemoryRequest {
    /// Number of wavefronts of shared memory, or of lines of global memory.
    pub requests: u64,
    /// Lines of global memory, each with a mask of its sectors.
    pub lines: TouchedLines,
    /// Index of the array that contains the lines.
    pub array: usize,
    pub is_store: bool,
    /// True for an atomic that returns the old value. It bypasses the L1 cache.
    pub is_atomic: bool,
    /// True for a store that writes some sectors only partially.
    pub is_partial: bool,
    /// True for a copy between global and shared memory that bypasses the L1 cache.
    pub bypasses: bool,
    /// The TMA transfer that makes this request; `None` for other requests.
    pub transfer: Option<TransferRequest>,
    /// The access to shared memory of another block; `None` for other requests.
    pub remote: Option<RemoteRequest>,
    /// Number of wavefronts in which a copy writes shared memory.
    pub written: u64,
    /// Operations of an atomic or a reduction; empty for other requests.
    pub changes: Changes,
    /// True if lanes access random positions in more memory than the L2 cache holds.
    pub is_scattered: bool,
    /// True for a texture fetch with filtering, which reads texels of several rows.
    pub is_sampled: bool,
    /// The block that makes the request.
    pub block: u64,
}

/// Lines, each with a mask of its sectors; a request of neighbouring lanes has at most four.
pub(super) type TouchedLines = SmallVec<[(u64, u8); 4]>;

/// Origins and destinations of an array's sectors, as shares.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ArrayShare {
    /// Share of the sectors missed in the L1 cache that DRAM delivers, 0 to 1.
    pub from_dram: f64,
    /// `from_dram` for the sectors that the SM requests for the first time; repeated requests then hit the L2 cache.
    /// `None` if first and repeated requests do not differ.
    pub first_from_dram: Option<f64>,
    /// Share of the sectors missed in the L1 cache that is already in flight from DRAM, because other SMs requested them.
    pub on_the_way: f64,
    /// Share of the written sectors that reach DRAM before the launch ends, 0 to 1.
    pub to_dram: f64,
    /// Number of SMs whose requests for the same sector L2 serves together, because they run neighbouring blocks.
    pub merged: f64,
    /// True if lanes access random positions in a section of the array that is larger than the L2 cache.
    pub is_scattered: bool,
    /// Number of sectors in an array that lanes access at random positions and that fits in L2. DRAM delivers each
    /// sector once, mostly early in the launch. `None` for other arrays.
    pub by_chance: Option<f64>,
}

/// Traffic of the SM: sectors requested from and found in the L1 cache, sectors at the L2 cache, and DRAM bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Traffic {
    pub sectors: u64,
    pub l1_hits: u64,
    pub l2_sectors: u64,
    pub dram_bytes: f64,
    /// Cycles in which the SM's path to the L2 cache, or its share of the cache, was busy.
    pub path_cycles: f64,
}

/// The memory that one SM sees.
#[derive(Debug)]
pub(super) struct Memory {
    l1: Cache,
    /// The SM's share of chip-wide resources, 0 to 1.
    share: f64,
    arrays: Vec<ArrayShare>,
    /// Cycle in which the path to the L2 cache becomes free. `dram_free` is the same for the SM's share of
    /// DRAM.
    path_free: f64,
    dram_free: f64,
    /// Cycles of the SM's share of L2 throughput that it left unused and may still use.
    saved: f64,
    /// Cycle in which the SM's share of the L2 cache's data arrays accepts the next sectors. Stores and data
    /// from DRAM are written to these arrays.
    arrays_free: f64,
    /// Running mean of the share of DRAM bandwidth in use.
    load: f64,
    load_at: f64,
    /// For each array, the accumulated shares `from_dram` and `on_the_way`. Once a sum reaches 1, a request is served
    /// from DRAM or waits for data in flight. This makes the shares exact in the long run.
    owed: Vec<(f64, f64)>,
    /// Number of sectors of each array that were requested so far.
    asked: Vec<f64>,
    /// Sectors of each line that missed in the L1 cache so far, as a mask.
    fetched: FxHashMap<u64, u8>,
    /// Share of the sectors that are found in the L1 cache, if the user states it.
    l1_hits: Option<f64>,
    l1_owed: f64,
    /// Factor on the bytes that loads move from DRAM, 1 or more, for write-backs of data of earlier launches.
    stale: f64,
    /// Most recently written lines, each with a mask of its sectors.
    written: VecDeque<(u64, u8)>,
    slices: Slices,
    /// Cycle in which all data requested so far have arrived, and all stores so far are written.
    pub outstanding: u64,
    /// Clock rate of the SM as a share of its maximum clock rate.
    clock: f64,
    pub traffic: Traffic,
    figures: Figures,
}

/// Timing data of the memory system as floating-point numbers: latencies and times per item in cycles, DRAM rates in
/// bytes per cycle, sizes in bytes or sectors, shares from 0 to 1. Names with `chip` are times of the whole chip.
#[derive(Debug)]
struct Figures {
    l2_latency: f64,
    atomic_latency: f64,
    near: f64,
    far: f64,
    late: f64,
    late_share: f64,
    request: f64,
    line: f64,
    sector: f64,
    stored_sector: f64,
    /// Additional cycles for a stored line with partly written sectors.
    partial_line: f64,
    chip_request: f64,
    chip_stored_sector: f64,
    /// Additional cycles for a stored line with partly written sectors, at the L2 cache of the whole chip.
    chip_partial_line: f64,
    chip_atomic: f64,
    /// Share of an SM's unused L2 throughput that it may use later, 0 to 1. `most_saved` is the maximum, in cycles.
    kept_share: f64,
    most_saved: f64,
    scattered_read: f64,
    scattered_write: f64,
    sector_bytes: f64,
    line_sectors: f64,
    request_sectors: f64,
    combined: usize,
    dram_bytes: f64,
    granule: f64,
    wait: f64,
    full: f64,
    max_load: f64,
    load_cycles: f64,
    page_lines: u64,
}

impl Memory {
    pub(super) fn new(
        figures: &Pipeline,
        lines: Lines,
        l1_bytes: u32,
        share: f64,
        arrays: Vec<ArrayShare>,
        l1_hits: Option<f64>,
        stale: f64,
    ) -> Self {
        let path = &figures.sm_path;
        let rate = |figure: &Known<u32>| f64::from(figure.value.max(1));
        let thousandths = |figure: &Known<u32>| f64::from(figure.value) / 1000.0;
        let writes = arrays.iter().any(|array| array.to_dram > 0.0);
        Self {
            l1: Cache::l1(figures, l1_bytes),
            share,
            owed: vec![(0.0, 0.0); arrays.len()],
            asked: vec![0.0; arrays.len()],
            fetched: FxHashMap::default(),
            arrays,
            path_free: 0.0,
            dram_free: 0.0,
            arrays_free: 0.0,
            saved: 0.0,
            load: 0.0,
            load_at: 0.0,
            l1_hits,
            l1_owed: 0.0,
            stale,
            written: VecDeque::new(),
            slices: Slices::new(
                Rates {
                    sector: thousandths(&figures.l2.sector_atomics),
                    pass: thousandths(&figures.l2.pass_atomics),
                    float: thousandths(&figures.l2.float_atomics),
                },
                u64::from(figures.l2.slice_bits.value) / lines.line_bytes(),
            ),
            outstanding: 0,
            clock: 1.0,
            traffic: Traffic::default(),
            figures: Figures {
                l2_latency: cycles(&figures.l2.latency) as f64,
                atomic_latency: cycles(&figures.l2.atomic_latency) as f64,
                near: rate(&figures.dram.near),
                far: rate(&figures.dram.far),
                late: rate(&figures.dram.late),
                late_share: f64::from(figures.dram.late_percent.value) / 100.0,
                request: thousandths(&path.request),
                line: thousandths(&path.line),
                sector: thousandths(&path.sector),
                stored_sector: thousandths(&path.stored_sector),
                partial_line: (thousandths(&path.stored_line) - thousandths(&path.stored_sector)).max(0.0),
                chip_request: 1.0 / rate(&figures.l2.requests),
                chip_stored_sector: 1.0 / rate(&figures.l2.stored_sectors),
                chip_partial_line: (1.0 / rate(&figures.l2.stored_lines)
                    - 1.0 / rate(&figures.l2.stored_sectors))
                .max(0.0),
                chip_atomic: 1.0 / rate(&figures.l2.atomics),
                kept_share: f64::from(figures.l2.kept_percent.value) / 100.0,
                most_saved: f64::from(figures.l2.kept_cycles.value),
                scattered_read: rate(&figures.dram.scattered_read_bytes),
                scattered_write: rate(&figures.dram.scattered_write_bytes),
                sector_bytes: lines.sector_bytes(),
                line_sectors: lines.per_line().into(),
                request_sectors: rate(&figures.l2.request_bytes) / lines.sector_bytes(),
                combined: path.combined_lines.value as usize,
                dram_bytes: if writes {
                    rate(&figures.dram.mixed_bytes_per_cycle)
                } else {
                    rate(&figures.dram.bytes_per_cycle)
                },
                granule: rate(&figures.dram.granule_bytes),
                wait: rate(&figures.dram.wait),
                full: rate(&figures.dram.full),
                max_load: f64::from(figures.dram.most_percent.value) / 100.0,
                load_cycles: rate(&figures.dram.load_cycles),
                page_lines: u64::from(figures.dram.page_lines.value).max(1),
            },
        }
    }

    /// Returns the cycle in which the data of a request arrive; `None` if no data are outstanding. The
    /// request looks up the L1 cache at `now`.
    pub(super) fn ask(&mut self, now: u64, issued: u64, access: &MemoryRequest) -> Option<u64> {
        let mut end = None;
        let before = self.path_free.max(now as f64);
        for (at, &(line, sectors)) in access.lines.iter().enumerate() {
            self.traffic.sectors += u64::from(sectors.count_ones());
            let ready = if access.is_atomic || access.bypasses {
                Some(self.fetch(now, issued, (line, sectors), access))
            } else if access.is_store {
                self.write(now, (line, sectors), access)
            } else {
                self.read(now, issued, (line, sectors), access)
            };
            end = end.max(ready);
            if let Some(&operations) = access.changes.operations.get(at) {
                self.slices.take((line, operations), access.changes.is_float, access.block, self.share);
            }
        }
        if access.changes.contended > 0 {
            let contended = self.slices.contended(&access.changes);
            self.take_path(now, self.at_share(contended));
            end = end.max(access.is_atomic.then_some(self.path_free as u64));
        }
        self.outstanding = self.outstanding.max(end.unwrap_or(0));
        if !access.is_store && self.path_free > before {
            self.path_free = self.path_free.max(before + self.figures.request);
        }
        end
    }

    /// Moves a line on behalf of the TMA unit, bypassing the L1 cache. Returns the cycle in which the line has
    /// arrived.
    pub(super) fn transfer(&mut self, at: u64, line: (u64, u8), access: &MemoryRequest) -> u64 {
        if access.is_store {
            return self.write(at, line, access).unwrap_or(at);
        }
        let arrived = self.fetch(at, at, line, access);
        self.outstanding = self.outstanding.max(arrived);
        arrived
    }

    /// Drops the contents of the L1 cache.
    pub(super) fn invalidate(&mut self) {
        self.l1.clear();
    }

    /// Updates the L1 cache for a skipped request, without timing.
    pub(super) fn pass(&mut self, access: &MemoryRequest) {
        if access.bypasses {
            return;
        }
        for &(line, sectors) in &access.lines {
            let missing = if access.is_store { sectors } else { self.l1.look_up(line, sectors, u64::MAX).0 };
            self.l1.fill(line, missing, 0);
            if !access.is_store {
                self.note_fetched(access.array, (line, missing));
            }
        }
    }

    fn read(
        &mut self,
        now: u64,
        issued: u64,
        (line, sectors): (u64, u8),
        access: &MemoryRequest,
    ) -> Option<u64> {
        let (missing, pending) = match self.l1_hits {
            None => self.l1.look_up(line, sectors, now),
            Some(share) => {
                self.l1_owed += 1.0 - share;
                let is_miss = self.l1_owed >= 1.0;
                self.l1_owed -= if is_miss { 1.0 } else { 0.0 };
                (if is_miss { sectors } else { 0 }, None)
            }
        };
        self.traffic.l1_hits += u64::from((sectors & !missing).count_ones());
        if missing == 0 {
            return pending;
        }
        let ready = self.fetch(now, issued, (line, missing), access);
        self.l1.fill(line, missing, ready);
        Some(pending.map_or(ready, |pending| pending.max(ready)))
    }

    fn write(&mut self, now: u64, (line, sectors): (u64, u8), access: &MemoryRequest) -> Option<u64> {
        let changes = !access.changes.operations.is_empty();
        let sectors = if changes {
            sectors
        } else {
            // Stored sectors stay in the L1 cache, too.
            self.l1.fill(line, sectors, now);
            self.combine(line, sectors)
        };
        if sectors == 0 {
            return None;
        }
        let count = f64::from(sectors.count_ones());
        self.traffic.l2_sectors += u64::from(sectors.count_ones());
        let figures = &self.figures;
        // A line with parts of sectors takes one turn more than its sectors.
        let (more, chip_more) =
            if access.is_partial { (figures.partial_line, figures.chip_partial_line) } else { (0.0, 0.0) };
        let path_time = count * figures.stored_sector + more;
        let chip = count * figures.chip_stored_sector + chip_more;
        let chip = if changes { count * figures.chip_atomic } else { chip };
        self.take_path(now, path_time.max(self.at_share(chip)));
        let written = self.write_arrays(self.path_free, count);
        self.outstanding = self.outstanding.max((written + self.figures.l2_latency) as u64);
        let to_dram = self.arrays.get(access.array).map_or(0.0, |array| array.to_dram);
        if to_dram > 0.0 {
            let of_sector = if self.is_scattered(access) {
                self.figures.scattered_write
            } else {
                self.figures.sector_bytes
            };
            self.take_dram(self.path_free, count * of_sector * to_dram);
        }
        Some(written as u64)
    }

    /// Sets the clock rate of the SM as a share of its maximum clock rate. The L2 cache and DRAM keep their own clocks.
    pub(super) fn set_clock(&mut self, share: f64) {
        self.clock = share;
    }

    /// Combines stores to the same sectors: returns the mask of the stored sectors that none of the most recent stores
    /// wrote.
    fn combine(&mut self, line: u64, sectors: u8) -> u8 {
        if let Some((_, known)) = self.written.iter_mut().rev().find(|(known, _)| *known == line) {
            let new = sectors & !*known;
            *known |= sectors;
            return new;
        }
        if self.written.len() >= self.figures.combined {
            self.written.pop_front();
        }
        self.written.push_back((line, sectors));
        sectors
    }

    /// Fetches sectors of one line and returns the cycle of their arrival. An atomic modifies the sectors in
    /// L2.
    fn fetch(&mut self, now: u64, issued: u64, (line, sectors): (u64, u8), access: &MemoryRequest) -> u64 {
        let figures = &self.figures;
        let count = f64::from(sectors.count_ones());
        // Sectors 0 and 1 of a line are one request, 2 and 3 another.
        let requests = match figures.request_sectors {
            whole if whole >= figures.line_sectors => 1.0,
            _ => f64::from(u8::from(sectors & 0b0011 != 0) + u8::from(sectors & 0b1100 != 0)),
        };
        let path_time = figures.line.max(count * figures.sector);
        // Loads through the L1 cache are not seen to be served together.
        let array = self.arrays.get(access.array).filter(|_| access.bypasses);
        let merged = array.map_or(1.0, |array| array.merged.max(1.0));
        let chip = if access.is_atomic {
            count * figures.chip_atomic
        } else {
            requests * figures.chip_request / merged
        };
        let at_share = self.at_share(chip);
        let hit = if access.is_atomic { figures.atomic_latency } else { figures.l2_latency };
        let miss = hit - figures.l2_latency + self.dram_latency(line);
        let granules = if figures.granule > figures.sector_bytes { requests } else { count };
        let bytes = if self.is_scattered(access) {
            count * figures.scattered_read
        } else {
            (granules * figures.granule).max(count * figures.sector_bytes) * self.stale
        };
        self.traffic.l2_sectors += u64::from(sectors.count_ones());
        let cost =
            if access.is_atomic { path_time.max(at_share) } else { self.spend(now, path_time, at_share) };
        self.take_path(now, cost);
        let passed = (self.path_free - issued as f64).max(0.0);
        match self.origin(access.array, (line, sectors)) {
            Origin::Here => return (issued as f64 + hit + passed) as u64,
            Origin::OnTheWay => return (issued as f64 + miss + passed) as u64,
            Origin::Dram => {}
        }
        let brought = self.take_dram(self.path_free, bytes);
        let queued = brought.max(self.write_arrays(self.path_free, count)) - self.path_free;
        (issued as f64 + miss + passed + queued.max(self.wait())) as u64
    }

    /// Converts the cycles for which a request occupies a chip-wide resource to the SM cycles for which it occupies this
    /// SM's share of the resource.
    fn at_share(&self, chip: f64) -> f64 {
        chip / self.share * self.clock
    }

    /// Occupies the path to the L2 cache for `cost` cycles.
    fn take_path(&mut self, now: u64, cost: f64) {
        self.traffic.path_cycles += cost;
        self.path_free = self.path_free.max(now as f64) + cost;
    }

    /// Returns the cycles for which a load occupies the path to L2: `own` if the SM has left enough of its share of L2
    /// throughput unused, otherwise the larger of `own` and `at_share`.
    ///
    /// SMs that alternate between loads and other work fall out of step: while one does not load, the others load
    /// faster. (Measured: an H200, 2026-11-30, `async/phases`: an SM can use 65 % of its unused share later.)
    fn spend(&mut self, now: u64, own: f64, at_share: f64) -> f64 {
        let figures = &self.figures;
        let idle = (now as f64 - self.path_free).max(0.0);
        self.saved = (self.saved + figures.kept_share * idle).min(figures.most_saved);
        if at_share <= own || self.saved < at_share {
            return own.max(at_share);
        }
        self.saved -= at_share - figures.kept_share * own;
        own
    }

    /// Writes sectors into the data arrays of the L2 cache from cycle `from` on, and returns the end of the
    /// write.
    ///
    /// The arrays accept as many sectors per cycle as L2 accepts stores. A copy of 64 to 256 MiB moves the
    /// read and the stored bytes together at the rate of stores only (measured: an H200, 2026-11-23,
    /// `launch/stream`).
    fn write_arrays(&mut self, from: f64, sectors: f64) -> f64 {
        self.arrays_free =
            self.arrays_free.max(from) + self.at_share(sectors * self.figures.chip_stored_sector);
        self.arrays_free
    }

    /// Returns the latency of a line from unloaded DRAM, in cycles.
    fn dram_latency(&self, line: u64) -> f64 {
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15; // Source: the golden ratio of 2^64
        let figures = &self.figures;
        // Pseudo-random from 0 to 1, and the same for neighbouring lines: one page of DRAM serves them.
        let place = ((line / figures.page_lines).wrapping_mul(SPREAD) >> 40) as f64 / (1_u64 << 24) as f64;
        match place {
            place if place < figures.late_share => figures.late,
            place if place < f64::midpoint(1.0, figures.late_share) => figures.near,
            _ => figures.far,
        }
    }

    /// Returns the queueing delay of a request at the current load of DRAM, in cycles.
    fn wait(&self) -> f64 {
        let figures = &self.figures;
        let load = (self.load * figures.dram_bytes).min(figures.max_load * figures.full);
        figures.wait * load / (figures.full - load)
    }

    /// Returns the bytes moved between the SM and the L2 cache.
    pub(super) fn l2_bytes(&self) -> f64 {
        self.traffic.l2_sectors as f64 * self.figures.sector_bytes
    }

    /// Returns the busy cycles of the slice that receives the most atomics.
    pub(super) fn slice_cycles(&self) -> f64 {
        self.slices.busiest
    }

    /// Returns the cycle in which all requested data have been moved.
    pub(super) fn end(&self) -> u64 {
        self.path_free.max(self.dram_free).max(self.arrays_free) as u64
    }

    /// Occupies DRAM's bandwidth from cycle `from` on, and returns the end of the transfer.
    fn take_dram(&mut self, from: f64, bytes: f64) -> f64 {
        let cost = bytes / (self.share * self.figures.dram_bytes) * self.clock;
        let passed = (from - self.load_at).max(0.0);
        if passed > 0.0 {
            self.load *= (-passed / self.figures.load_cycles).exp();
            self.load_at = from;
        }
        self.load += cost / self.figures.load_cycles;
        self.traffic.dram_bytes += bytes;
        self.dram_free = self.dram_free.max(from) + cost;
        self.dram_free
    }

    /// True if lanes access random positions in more memory than the L2 cache holds.
    fn is_scattered(&self, access: &MemoryRequest) -> bool {
        access.is_scattered || self.arrays.get(access.array).is_some_and(|array| array.is_scattered)
    }

    /// Records sectors that missed in the L1 cache. Returns true if any of them is requested for the first time, or if
    /// the array does not distinguish first requests.
    fn note_fetched(&mut self, array: usize, (line, sectors): (u64, u8)) -> bool {
        let matters = self.arrays.get(array).is_some_and(|array| array.first_from_dram.is_some());
        if !matters {
            return true;
        }
        let known = self.fetched.entry(line).or_default();
        let is_first = sectors & !*known != 0;
        *known |= sectors;
        is_first
    }

    /// Determines the origin of sectors of a line that the L2 cache serves.
    fn origin(&mut self, array: usize, (line, sectors): (u64, u8)) -> Origin {
        if !self.note_fetched(array, (line, sectors)) {
            return Origin::Here;
        }
        let sectors = f64::from(sectors.count_ones());
        let (Some(owed), Some(share)) = (self.owed.get_mut(array), self.arrays.get(array)) else {
            return Origin::Here;
        };
        owed.0 += share.by_chance.map_or(share.first_from_dram.unwrap_or(share.from_dram), |all| {
            // The share not requested before by any SM.
            let seen = &mut self.asked[array];
            let asked = *seen;
            *seen += sectors;
            (-asked / self.share / all).exp()
        });
        owed.1 += share.on_the_way;
        if owed.0 >= 1.0 {
            owed.0 -= 1.0;
            return Origin::Dram;
        }
        if owed.1 >= 1.0 {
            owed.1 -= 1.0;
            return Origin::OnTheWay;
        }
        Origin::Here
    }
}

/// Origin of a line that the L2 cache returns: L2 itself, data in flight from DRAM to L2, or DRAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Here,
    OnTheWay,
    Dram,
}
