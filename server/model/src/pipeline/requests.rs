//! Memory requests of an instruction that a warp has run.

use super::lines::Lines;
use super::memory::{MemoryRequest, TouchedLines};
use super::slices::Operations;
use crate::Launch;
use crate::execution::{self, Accessed, Changed, IssuedInstruction, Scenario, Usage, Warp};
use crate::requests::Request;
use machine::{Arch, Hardware, MemorySpace};
use smallvec::smallvec;
use std::collections::BTreeSet;

/// Computes the cost of requests. Memoizes the last request of each instruction, because a loop mostly
/// repeats its address pattern.
#[derive(Debug)]
pub(super) struct Requests {
    lines: Lines,
    arrays: usize,
    /// Last request of each instruction, and its wavefronts.
    last: Vec<Option<Box<(Request, u64)>>>,
    /// Accesses to global memory whose addresses were not known.
    pub unknown: BTreeSet<u32>,
    /// Accesses to shared memory whose addresses were not known.
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
    /// Only the lines are computed: `requests` stays 0, and there are no operations.
    LeftOut,
}

impl Requests {
    /// Creates the state for a launch with `arrays` arrays.
    pub(super) fn new(lines: Lines, arrays: usize) -> Self {
        Self {
            lines,
            arrays,
            last: Vec::new(),
            unknown: BTreeSet::new(),
            unknown_shared: BTreeSet::new(),
            unplaced: BTreeSet::new(),
            drawn: 0,
            last_unknown: Vec::new(),
            owed: Vec::new(),
        }
    }

    /// Returns the request of an executed instruction. `None` if the instruction does not access memory by an
    /// address, or if its shared memory addresses are unknown in the usual case. `place` distinguishes warps
    /// that are resident at the same time.
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
        let of = run.access(ran.inst)?;
        let is_atomic = of.is_atomic && of.space != MemorySpace::Shared;
        let mut access = MemoryRequest { is_store: of.is_store, is_atomic, ..MemoryRequest::default() };
        match (ran.access, of.space) {
            (Accessed::Nothing, _) => return None,
            (Accessed::Off, _) => {}
            (Accessed::Known | Accessed::Unknown, MemorySpace::Shared)
                if run.counted_wavefronts(ran.inst).is_some() =>
            {
                if is_timed {
                    access.requests = self.counted_wavefronts(run, ran.inst);
                }
            }
            (Accessed::Unknown, MemorySpace::Shared) => {
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
            (Accessed::Known, MemorySpace::Shared) => {
                if is_timed {
                    access.requests = self.wavefronts(run, arch, warp, ran.inst);
                }
            }
            (known, _) => {
                let known = if run.has_counted_sectors(ran.inst) { Accessed::Known } else { known };
                if known == Accessed::Unknown {
                    self.unknown.insert(ran.inst);
                }
                self.global_lines(&mut access, warp.request(), of.bytes);
                // Compilers use `RED` for global memory only, although it accepts any.
                if of.space == MemorySpace::Generic
                    && !(of.changes.is_some() && of.is_store)
                    && (known == Accessed::Unknown || access.array >= self.arrays)
                {
                    self.unplaced.insert(ran.inst);
                }
                if known == Accessed::Unknown && run.scenario() != Scenario::Usual {
                    self.unknown_lines(&mut access, run.scenario(), warp, of);
                    if is_timed {
                        let is_worst = run.scenario() == Scenario::Worst;
                        let passes = self.unknown_wavefronts(run, arch, warp, ran.inst, is_worst);
                        access.requests = passes.max(tags(&access));
                    }
                    return Some(access);
                }
                if is_timed && of.changes.is_some() && known == Accessed::Known {
                    access.changes.is_float = of.changes == Some(Changed::Floats);
                    access.changes.operations = self.operations(&access.lines, warp.request());
                }
                // A line's tags are looked up four at a time; its words come out of the banks of shared memory.
                if is_timed {
                    access.requests = self.wavefronts(run, arch, warp, ran.inst).max(tags(&access));
                }
            }
        }
        Some(access)
    }

    /// Returns the wavefronts of the warp's request to shared memory.
    fn wavefronts(&mut self, run: &execution::Code, arch: &Arch, warp: &Warp, inst: u32) -> u64 {
        let request = warp.request();
        if self.last.is_empty() {
            self.last.resize_with(run.len(), || None);
        }
        let last = &mut self.last[inst as usize];
        if let Some((_, taken)) = last.as_deref().filter(|(last, _)| last == request) {
            return *taken;
        }
        let taken = run.wavefronts(arch, inst, request).map_or(1, u64::from);
        match last {
            Some(last) => **last = (*request, taken),
            None => *last = Some(Box::new((*request, taken))),
        }
        taken
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

    /// Returns the minimum number of wavefronts at unknown addresses, or the maximum with `is_worst`.
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
        &self,
        access: &mut MemoryRequest,
        warp: &Warp,
        ran: &IssuedInstruction,
        bytes: u32,
        place: u64,
    ) {
        let request = warp.request();
        let first = if ran.access == Accessed::Known && request.active != 0 {
            request.addresses[request.active.trailing_zeros() as usize]
        } else {
            0
        };
        // Far from any array.
        let base = u64::MAX / 2 + (place << 24);
        let words = u64::from(bytes.div_ceil(4).max(1));
        access.array = usize::MAX;
        access.lines = (0..words).map(|word| (base + (first >> 2) + word, self.lines.whole())).collect();
        access.requests = words;
    }

    /// Adds lines for an access at unknown addresses. The lines are in a separate array after all other
    /// arrays.
    fn unknown_lines(&mut self, access: &mut MemoryRequest, scenario: Scenario, warp: &Warp, of: Usage) {
        /// Number of lines from which random lines are drawn, more than any cache holds.
        const LINES: u64 = 1 << 30; // limit: more than any cache holds
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15; // Source: the golden ratio of 2^64
        let active = warp.request().active;
        let lanes = active.count_ones();
        let is_worst = scenario == Scenario::Worst;
        access.array = self.arrays;
        let base = (self.arrays as u64 + 1) * (Launch::ARRAY_SPACING >> (self.lines.line_bytes().ilog2()));
        let mut line = || {
            self.drawn += 1;
            base + (self.drawn.wrapping_mul(SPREAD) >> 24) % LINES
        };
        access.lines =
            if is_worst { (0..lanes).map(|_| (line(), 1)).collect() } else { smallvec![(base, 1)] };
        access.changes.contended = if is_worst && of.changes.is_some() { lanes } else { 0 };
        access.changes.is_float = of.changes == Some(Changed::Floats);
        access.is_scattered = is_worst;
    }

    /// Returns the operations of the lanes on each line. If lanes of a sector share a word, operations on the
    /// sector's busiest word are serialized.
    fn operations(&self, lines: &[(u64, u8)], request: &Request) -> Vec<Operations> {
        let mut words: Vec<u64> = (0..32)
            .filter(|lane| request.active >> lane & 1 == 1)
            .map(|lane| request.addresses[lane])
            .collect();
        words.sort_unstable();
        let mut operations = vec![Operations::default(); lines.len()];
        for sector in words.chunk_by(|one, other| self.lines.sector(*one) == self.lines.sector(*other)) {
            let on_a_word = sector.chunk_by(|one, other| one == other).map(<[u64]>::len).max().unwrap_or(0);
            let (line, _) = self.lines.line(self.lines.sector(sector[0]));
            let Some(at) = lines.iter().position(|&(known, _)| known == line) else { continue };
            match on_a_word {
                1 => operations[at].apart += 1,
                several => operations[at].in_turn += several as u32,
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

/// Returns the number of tag look-ups of an access.
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
