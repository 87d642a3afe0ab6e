//! Memory requests of an instruction that a warp has run.

use super::engine::TransferRequest;
use super::footprint::FootprintInputs;
use super::lines::Lines;
use super::memory::{MemoryRequest, TouchedLines};
use super::remote::{RemoteKind, RemoteRequest};
use super::slices::Operations;
use super::tiles::TileBytes;
use crate::execution::{
    self, AccessState, Asynchronous, AtomicType, Direction, IssuedInstruction, Scenario, Transfer,
    TransferMemory, Usage, Warp,
};
use crate::requests::{Request, lanes_of};
use crate::{Launch, TensorMap};
use machine::{Arch, Hardware, MemorySpace};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

/// Computes the cost of requests. Memoizes the last request of each instruction, because a loop mostly
/// repeats its address pattern.
#[derive(Debug)]
pub(super) struct Requests {
    /// Number of doubles that a slice of the L2 cache changes in one pass over a sector.
    doubles_at_once: usize,
    lines: Lines,
    arrays: usize,
    tensor_maps: Vec<TensorMap>,
    /// Tile sizes in bytes, for tensors whose maps are not stated.
    tile_bytes: TileBytes,
    /// Instructions that copy tiles at assumed addresses, because the launch states no tensor maps.
    pub assumed_tiles: BTreeSet<u32>,
    last: LastWavefronts,
    /// Like `last`, for the shared memory that copies write.
    last_copied: LastWavefronts,
    /// Instructions that access global memory at unknown addresses.
    pub unknown: BTreeSet<u32>,
    /// Instructions that access shared memory at unknown addresses.
    pub unknown_shared: BTreeSet<u32>,
    /// Generic accesses that may be outside global memory.
    pub unplaced: BTreeSet<u32>,
    /// Number of lines drawn for unknown addresses.
    drawn: u64,
    /// The last request of each instruction at unknown addresses: its active lanes and its wavefronts.
    last_unknown: Vec<Option<(u32, u64)>>,
    /// Fraction of a wavefront that each instruction carries over to its next request. Only used for measured
    /// wavefronts.
    owed: Vec<f64>,
}

/// Selects whether a request's times are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Timing {
    Wanted,
    /// Computes only the lines: `requests` remains 0, and there are no operations.
    LeftOut,
}

/// Last request of each instruction, and its wavefronts.
#[derive(Debug, Default)]
struct LastWavefronts(Vec<Option<Box<(Request, u64)>>>);

impl LastWavefronts {
    /// Returns the number of wavefronts of a request. Computes it if the request differs from the instruction's last
    /// request.
    fn get(
        &mut self,
        run: &execution::Code,
        inst: u32,
        request: &Request,
        compute: impl FnOnce(&Request) -> Option<u32>,
    ) -> u64 {
        if self.0.is_empty() {
            self.0.resize_with(run.len(), || None);
        }
        let last = &mut self.0[inst as usize];
        if let Some((_, taken)) = last.as_deref().filter(|(last, _)| last == request) {
            return *taken;
        }
        let taken = compute(request).map_or(1, u64::from);
        match last {
            Some(last) => **last = (*request, taken),
            None => *last = Some(Box::new((*request, taken))),
        }
        taken
    }
}

impl Requests {
    /// Creates the state for the launch that is analysed.
    pub(super) fn new(look: &FootprintInputs) -> Self {
        Self {
            lines: look.lines,
            doubles_at_once: look
                .arch
                .pipeline
                .as_ref()
                .map_or(1, |figures| figures.l2.doubles.value as usize),
            arrays: look.launch.arrays.len(),
            tensor_maps: look.launch.tensor_maps.clone(),
            tile_bytes: look.tiles.clone(),
            assumed_tiles: BTreeSet::new(),
            last: LastWavefronts::default(),
            last_copied: LastWavefronts::default(),
            unknown: BTreeSet::new(),
            unknown_shared: BTreeSet::new(),
            unplaced: BTreeSet::new(),
            drawn: 0,
            last_unknown: Vec::new(),
            owed: Vec::new(),
        }
    }

    /// Returns the request of an executed instruction. `None` if the instruction does not access memory by an
    /// address, or if its shared memory addresses are unknown and the scenario is [`Scenario::Usual`]. `place`
    /// distinguishes warps that are resident at the same time.
    pub(super) fn access(
        &mut self,
        run: &execution::Code,
        arch: &Arch,
        warp: &Warp,
        ran: &IssuedInstruction,
        place: u64,
        timing: Timing,
    ) -> Option<MemoryRequest> {
        let is_timed = timing == Timing::Wanted;
        let Some(of) = run.access(ran.inst) else { return self.transferred(warp, ran.inst) };
        let is_atomic = of.is_atomic && of.space != MemorySpace::Shared;
        let mut access = MemoryRequest { is_store: of.is_store, is_atomic, ..MemoryRequest::default() };
        match (ran.access, of.space) {
            (AccessState::Nothing, _) => return None,
            (AccessState::Off, _) => {}
            (known, MemorySpace::Shared) if matches!(warp.asynchronous(), Some(Asynchronous::Deliver(_))) => {
                self.in_cluster(run, arch, warp, (ran.inst, known), of, &mut access);
            }
            (AccessState::Known | AccessState::Unknown, MemorySpace::Shared)
                if run.counted_wavefronts(ran.inst).is_some() =>
            {
                if is_timed {
                    access.requests = self.counted_wavefronts(run, ran.inst);
                }
            }
            (AccessState::Unknown, MemorySpace::Shared) => {
                self.unknown_shared.insert(ran.inst);
                let is_worst = match run.scenario() {
                    Scenario::Usual => return None,
                    other => other == Scenario::Worst,
                };
                if is_timed {
                    access.requests = self.unknown_wavefronts(run, arch, warp, ran.inst, is_worst);
                }
            }
            (_, MemorySpace::Local) => self.local_lines(&mut access, warp, ran, of.bytes, place),
            (known, MemorySpace::Generic) if in_shared_window(warp.request()) => {
                if known == AccessState::Unknown {
                    self.unknown_shared.insert(ran.inst);
                }
                self.in_cluster(run, arch, warp, (ran.inst, known), of, &mut access);
            }
            (AccessState::Known, MemorySpace::Shared) => {
                if is_timed {
                    access.requests = self.wavefronts(run, arch, warp, ran.inst);
                }
            }
            (known, _) => {
                let known = if run.has_counted_sectors(ran.inst) { AccessState::Known } else { known };
                if known == AccessState::Unknown {
                    self.unknown.insert(ran.inst);
                }
                self.global_lines(&mut access, warp.request(), of.bytes);
                if of.space.is_texels() {
                    // Textures share the array for unknown addresses: no parameter is their address.
                    access.array = self.arrays;
                    access.is_sampled = of.is_sampled;
                    access.requests = texture_cycles(arch, &access, of, warp.request().active);
                    if known == AccessState::Known {
                        return Some(access);
                    }
                }
                access.is_partial = of.is_store && self.is_partial(&access, warp.request(), of.bytes);
                // Compilers use `RED` for global memory only, although it accepts any.
                if of.space == MemorySpace::Generic
                    && !(of.changes.is_some() && of.is_store)
                    && (known == AccessState::Unknown || access.array >= self.arrays)
                {
                    self.unplaced.insert(ran.inst);
                }
                if known == AccessState::Unknown && run.scenario() != Scenario::Usual {
                    self.unknown_lines(&mut access, run.scenario(), warp, of);
                    if is_timed {
                        let is_worst = run.scenario() == Scenario::Worst;
                        let passes = self.unknown_wavefronts(run, arch, warp, ran.inst, is_worst);
                        access.requests = passes.max(tags(&access));
                    }
                    return Some(access);
                }
                if is_timed && of.changes.is_some() && known == AccessState::Known {
                    access.changes.is_float = of.changes == Some(AtomicType::Floats);
                    access.changes.operations = self.operations(&access.lines, warp.request(), of);
                }
                access.bypasses = of.bypasses;
                // A line's tags are looked up four at a time; its words come out of the banks of shared memory.
                if is_timed {
                    let banks = if of.bypasses { 0 } else { self.wavefronts(run, arch, warp, ran.inst) };
                    access.requests = banks.max(tags(&access));
                    if of.is_copy {
                        access.written = self.copied(run, arch, warp, ran.inst);
                    }
                }
            }
        }
        Some(access)
    }

    /// Returns the request of the transfer that the warp has started; `None` if its tensor is unknown.
    fn transferred(&mut self, warp: &Warp, inst: u32) -> Option<MemoryRequest> {
        let Some(Asynchronous::Transfer(transfer)) = warp.asynchronous() else { return None };
        let Transfer { direction, barrier, from, receivers } = transfer;
        let is_store = matches!(direction, Direction::Store | Direction::Reduce);
        let mut access = MemoryRequest { is_store, bypasses: true, ..MemoryRequest::default() };
        let mut request = TransferRequest {
            direction: *direction,
            barrier: *barrier,
            bytes: 0,
            rows: 1,
            is_tile: false,
            receivers: *receivers,
            descriptor: 0,
        };
        let (mut first, mut is_assumed) = (None, false);
        let mut run = |from: u64, bytes: u64| {
            first.get_or_insert(from);
            for sector in self.lines.sector(from)..=self.lines.sector(from + bytes.max(1) - 1) {
                add(&mut access.lines, self.lines.line(sector));
            }
        };
        match from {
            TransferMemory::Run { address, bytes } => {
                run(*address, u64::from(*bytes));
                request.bytes = *bytes;
            }
            TransferMemory::Tile { descriptor, coordinates } => {
                if let Some(map) = self.tensor_maps.iter().find(|map| map.descriptor() == *descriptor) {
                    request.bytes = map.box_bytes();
                    request.rows = map.rows(coordinates, run);
                } else if self.tensor_maps.is_empty() {
                    let bytes = self.tile_bytes.get(&inst).copied();
                    // The bytes of stores are expected nowhere.
                    let bytes = if *direction == Direction::Load { bytes? } else { bytes.unwrap_or(0) };
                    is_assumed = true;
                    request.bytes = bytes;
                    request.rows = bytes.div_ceil(self.lines.line_bytes() as u32).max(1);
                    run(assumed_place(*descriptor, coordinates), u64::from(bytes));
                } else {
                    return None;
                }
                request.is_tile = true;
                request.descriptor = *descriptor;
            }
        }
        let array = (first? / Launch::ARRAY_SPACING).wrapping_sub(1) as usize;
        access.array = if array < self.arrays { array } else { usize::MAX };
        if is_assumed {
            // The array after all others is for addresses that are not known.
            access.array = self.arrays;
            self.assumed_tiles.insert(inst);
        }
        if *direction == Direction::Reduce {
            let of_line = |&(_, sectors): &(u64, u8)| Operations {
                whole: sectors.count_ones(),
                ..Operations::default()
            };
            access.changes.operations = access.lines.iter().map(of_line).collect();
        }
        access.transfer = Some(request);
        Some(access)
    }

    /// Returns the number of wavefronts of the warp's request to shared memory.
    fn wavefronts(&mut self, run: &execution::Code, arch: &Arch, warp: &Warp, inst: u32) -> u64 {
        self.last.get(run, inst, warp.request(), |request| run.wavefronts(arch, inst, request))
    }

    /// Returns the number of wavefronts in which the warp's copy writes shared memory.
    fn copied(&mut self, run: &execution::Code, arch: &Arch, warp: &Warp, inst: u32) -> u64 {
        self.last_copied
            .get(run, inst, warp.destination(), |request| run.copied_wavefronts(arch, inst, request))
    }

    /// Returns an integral number of wavefronts. The mean over many calls is the measured number.
    fn counted_wavefronts(&mut self, run: &execution::Code, inst: u32) -> u64 {
        if self.owed.is_empty() {
            self.owed.resize(run.len(), 0.0);
        }
        let owed = &mut self.owed[inst as usize];
        *owed += run.counted_wavefronts(inst).unwrap_or(1.0);
        let whole = owed.floor();
        *owed -= whole;
        whole as u64
    }

    /// Returns the number of wavefronts of a request at unknown addresses: the maximum if `is_worst`, otherwise the
    /// minimum.
    fn unknown_wavefronts(
        &mut self,
        run: &execution::Code,
        arch: &Arch,
        warp: &Warp,
        inst: u32,
        is_worst: bool,
    ) -> u64 {
        if self.last_unknown.is_empty() {
            self.last_unknown.resize(run.len(), None);
        }
        let active = warp.request().active;
        let last = &mut self.last_unknown[inst as usize];
        if let Some((_, taken)) = last.filter(|(lanes, _)| *lanes == active) {
            return taken;
        }
        let taken = run.unknown_wavefronts(arch, inst, active, is_worst);
        *last = Some((active, taken));
        taken
    }

    /// Adds the lines of a local access. The words of the lanes are adjacent.
    fn local_lines(
        &mut self,
        access: &mut MemoryRequest,
        warp: &Warp,
        ran: &IssuedInstruction,
        bytes: u32,
        place: u64,
    ) {
        let request = warp.request();
        let is_known = ran.access == AccessState::Known;
        let per_sector = self.lines.sector_bytes() as usize / 4;
        // Far from any array.
        let base = u64::MAX / 2 + (place << 24);
        access.array = usize::MAX;
        self.drawn += u64::from(!is_known);
        for lane in lanes_of(request.active) {
            // Lanes whose index in an array is not known are spread over as many words as there are lanes.
            let mixed = (lane as u64 + 1 + 32 * self.drawn).wrapping_mul(SPREAD);
            let drawn = (mixed ^ mixed >> 32).wrapping_mul(SPREAD) >> SPREAD_BITS;
            let first = if is_known { request.addresses[lane] >> 2 } else { drawn };
            for word in 0..u64::from(bytes.div_ceil(4).max(1)) {
                add(&mut access.lines, (base + first + word, 1 << (lane / per_sector)));
            }
        }
        access.requests = tags(access);
        access.is_partial = access.is_store && self.is_partial(access, request, bytes);
    }

    /// Adds the cost of a generic access to shared memory, either of the block itself or of another block in its
    /// cluster.
    fn in_cluster(
        &mut self,
        run: &execution::Code,
        arch: &Arch,
        warp: &Warp,
        (inst, known): (u32, AccessState),
        of: Usage,
        access: &mut MemoryRequest,
    ) {
        let request = warp.request();
        let first = request.addresses[request.active.trailing_zeros() as usize];
        access.array = usize::MAX;
        if known == AccessState::Known && rank_of(first) == warp.rank() {
            access.requests = self.wavefronts(run, arch, warp, inst);
            return;
        }
        let mut touched = MemoryRequest::default();
        match (known, run.scenario()) {
            (AccessState::Known, _) => self.global_lines(&mut touched, request, of.bytes),
            // Adjacent lanes, or a sector for each lane.
            (_, Scenario::Best) => {
                touched.lines =
                    (0..request.active.count_ones().div_ceil(32)).map(|line| (line.into(), 0xf)).collect();
            }
            _ => touched.lines = lanes_of(request.active).map(|lane| (lane as u64, 1)).collect(),
        }
        access.remote = Some(RemoteRequest {
            kind: match of.changes {
                Some(_) => RemoteKind::Atomic,
                None if of.is_store => RemoteKind::Store,
                None => RemoteKind::Load,
            },
            sectors: touched.lines.iter().map(|(_, sectors)| sectors.count_ones()).sum(),
            lanes: request.active.count_ones(),
            is_partial: self.is_partial(&touched, request, of.bytes),
        });
    }

    /// Adds lines for an access at unknown addresses: a random line per lane in the worst case, otherwise always the
    /// same line. The lines are in a separate array after all other arrays.
    fn unknown_lines(&mut self, access: &mut MemoryRequest, scenario: Scenario, warp: &Warp, of: Usage) {
        /// Number of lines from which random lines are drawn, more than any cache holds.
        const LINES: u64 = 1 << 30; // limit: more than any cache holds
        let active = warp.request().active;
        let lanes = active.count_ones();
        // One lane, such as one that waits for a word of another block, reads a word that L2 has.
        let is_worst = scenario == Scenario::Worst && lanes > 1;
        access.array = self.arrays;
        let base = (self.arrays as u64 + 1) * (Launch::ARRAY_SPACING >> (self.lines.line_bytes().ilog2()));
        let mut line = || {
            self.drawn += 1;
            base + (self.drawn.wrapping_mul(SPREAD) >> 24) % LINES
        };
        access.lines =
            if is_worst { (0..lanes).map(|_| (line(), 1)).collect() } else { smallvec![(base, 1)] };
        access.changes.contended = if is_worst && of.changes.is_some() { lanes } else { 0 };
        access.changes.is_float = of.changes == Some(AtomicType::Floats);
        access.is_scattered = is_worst;
    }

    /// True if a store's lanes write only part of the bytes of the sectors that they touch.
    fn is_partial(&self, access: &MemoryRequest, request: &Request, bytes: u32) -> bool {
        let written = u64::from(request.active.count_ones()) * u64::from(bytes);
        let sectors: u32 = access.lines.iter().map(|(_, sectors)| sectors.count_ones()).sum();
        written < u64::from(sectors) * self.lines.sector_bytes() as u64
    }

    /// Returns the operations of the lanes on each line.
    fn operations(&self, lines: &[(u64, u8)], request: &Request, of: Usage) -> Vec<Operations> {
        let mut words: Vec<u64> = (0..32)
            .filter(|lane| request.active >> lane & 1 == 1)
            .map(|lane| request.addresses[lane])
            .collect();
        words.sort_unstable();
        let is_double = of.changes == Some(AtomicType::Floats) && of.bytes == 8;
        let mut operations = vec![Operations::default(); lines.len()];
        for sector in words.chunk_by(|one, other| self.lines.sector(*one) == self.lines.sector(*other)) {
            let (line, _) = self.lines.line(self.lines.sector(sector[0]));
            let Some(at) = lines.iter().position(|&(known, _)| known == line) else { continue };
            let on_words: SmallVec<[usize; 8]> =
                sector.chunk_by(|one, other| one == other).map(<[u64]>::len).collect();
            let deepest = on_words.iter().copied().max().unwrap_or(0);
            if deepest == 1 && sector.len() as f64 * f64::from(of.bytes) >= self.lines.sector_bytes() {
                operations[at].whole += 1;
                continue;
            }
            let at_once = if is_double { self.doubles_at_once } else { usize::MAX };
            let changed = |pass: usize| on_words.iter().filter(|&&times| times > pass).count();
            let passes: usize = (0..deepest).map(|pass| changed(pass).div_ceil(at_once)).sum();
            operations[at].passes += passes as u32;
            if deepest > 1 {
                operations[at].deepest = operations[at].deepest.max(deepest as u32);
            }
        }
        operations
    }

    fn global_lines(&self, access: &mut MemoryRequest, request: &Request, bytes: u32) {
        let mut known = None;
        let mut lanes = request.active;
        if let Some((first, last)) = row(request, bytes) {
            for sector in self.lines.sector(first)..=self.lines.sector(last) {
                add(&mut access.lines, self.lines.line(sector));
            }
            lanes = 0;
        }
        while lanes != 0 {
            let first = request.addresses[lanes.trailing_zeros() as usize];
            lanes &= lanes - 1;
            let last = first.wrapping_add(u64::from(bytes.max(1)) - 1);
            let (from, to) = (self.lines.sector(first), self.lines.sector(last.max(first)));
            // Neighbouring lanes are mostly in one sector.
            if known == Some(from) && from == to {
                continue;
            }
            for sector in from..=to {
                add(&mut access.lines, self.lines.line(sector));
            }
            known = Some(to);
        }
        // The last lane determines the array.
        if let Some(lane) = request.active.checked_ilog2() {
            let array = (request.addresses[lane as usize] / Launch::ARRAY_SPACING).wrapping_sub(1) as usize;
            access.array = if array < self.arrays { array } else { usize::MAX };
        }
    }
}

/// True if a known address is in the window through which generic addresses reach shared memory.
fn in_shared_window(request: &Request) -> bool {
    let first = request.addresses[request.active.trailing_zeros() as usize % request.addresses.len()];
    first >> 32 == u64::from(Launch::SHARED_WINDOW)
}

/// Returns the rank, within its cluster, of the block whose shared memory an address belongs to.
fn rank_of(address: u64) -> u32 {
    /// Position of the rank's lowest bit in an address.
    const RANK: u32 = 24; // Source: SASS that ptxas generates for mapa
    (address as u32) >> RANK
}

/// Returns the cycles for which an access to a texture or a surface occupies the texture units.
fn texture_cycles(arch: &Arch, access: &MemoryRequest, of: Usage, active: u32) -> u64 {
    let Some(figures) = arch.pipeline.as_ref().map(|figures| &figures.texture) else { return 1 };
    let per_lane = if of.is_sampled { &figures.lane_milli } else { &figures.flat_lane_milli };
    // A lane takes turns for more than 8 bytes.
    let turns = u64::from(of.bytes.div_ceil(8).max(1));
    let lanes = u64::from(active.count_ones()) * u64::from(per_lane.value) * turns;
    let sectors: u32 = access.lines.iter().map(|(_, sectors)| sectors.count_ones()).sum();
    lanes.max(u64::from(sectors) * u64::from(figures.sector_milli.value)).div_ceil(1000).max(tags(access))
}

/// Multiplier of a Fibonacci hash, which spreads numbers over all 64 bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15; // Source: the golden ratio of 2^64
/// Shift that keeps the upper five bits, which select one of 32 words.
const SPREAD_BITS: u32 = 59; // limit: the upper five bits

/// Returns the first and the last byte of a request whose lanes are all active and adjacent; `None` for other
/// requests.
fn row(request: &Request, bytes: u32) -> Option<(u64, u64)> {
    let (first, bytes) = (request.addresses[0], u64::from(bytes.max(1)));
    let apart = (0..)
        .zip(&request.addresses)
        .fold(0, |apart, (lane, &address)| apart | address ^ first.wrapping_add(bytes.wrapping_mul(lane)));
    let last = first.checked_add(bytes * request.addresses.len() as u64 - 1)?;
    (request.active == u32::MAX && apart == 0).then_some((first, last))
}

/// Returns a placeholder address for a tile of a tensor whose map is not stated. Equal tiles get equal addresses.
fn assumed_place(descriptor: u64, coordinates: &[i32]) -> u64 {
    let mixed = coordinates.iter().fold(descriptor, |mixed, &at| {
        (mixed ^ u64::from(at.cast_unsigned())).wrapping_mul(SPREAD).rotate_left(29)
    });
    // Above all arrays, at a multiple of the largest tile.
    1 << 63 | mixed >> 2 & !0x3_ffff
}

/// Returns the number of passes in which the L1 tags of an access's lines are looked up, one line per tag bank and pass.
fn tags(access: &MemoryRequest) -> u64 {
    (access.lines.len() as u64).div_ceil(Hardware::builtin().tag_banks.value.into())
}

fn add(lines: &mut TouchedLines, (line, sectors): (u64, u8)) {
    // Neighbouring lanes are mostly in one line.
    if let Some((_, known)) = lines.iter_mut().rev().find(|(known, _)| *known == line) {
        *known |= sectors;
    } else {
        lines.push((line, sectors));
    }
}
