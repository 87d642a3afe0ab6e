//! Input of the rules about memory accesses: the launches, the requests of their warps, and the address forms.

mod advice;
mod formula;
mod frame;
mod origin;
mod padding;
mod pattern;
mod words;

pub use formula::Names;
pub use frame::{Frame, Role};
pub use origin::{Origin, ReachUncertainty, origin};
pub use pattern::{Pattern, kind};

pub(crate) use advice::{TURNS, coalesced, of_global, of_shared, padded, shares_word, will_be_joined};
pub(crate) use words::{LaunchAssumption, at_launches, in_all, lanes_in_words, launches_in_words, quantity};
pub use words::{Loss, counted, times};

use crate::finding::Severity;
use model::dataflow::Definitions;
use model::execution::{MemoryUse, Survey};
use model::{Addresses, Arch, Chunk, Launch, Program};
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// A kernel's launches and its addresses. Expensive analyses run on first use.
pub struct Memory<'a> {
    pub chunk: &'a Chunk,
    pub program: &'a Program,
    /// The architecture of the code.
    pub isa_arch: &'a Arch,
    /// Launches of the kernel; empty if the caller needs no simulated warps.
    pub launches: Vec<SimulatedLaunch>,
    /// Names of the kernel's parameters, by their offset in constant bank 0.
    pub parameters: BTreeMap<u32, String>,
    pub limits: Limits,
    /// The source text that is shown instead of a hidden listing; `None` if the listing is shown.
    pub(crate) source: Option<&'a dyn Source>,
    addresses: OnceCell<Addresses>,
    definitions: OnceCell<Definitions>,
}

/// A source text that is shown instead of the listing, with its names for instructions.
pub trait Source {
    /// Name and position of an instruction: `` `ld.global.f32` on line 12 ``.
    fn place(&self, inst: u32) -> String;

    /// The label that is the target of a branch.
    fn label(&self, branch: u32) -> Option<String>;
}

/// A launch and the simulated behaviour of a sample of its warps.
#[derive(Debug, Clone)]
pub struct SimulatedLaunch {
    pub launch: Launch,
    pub survey: Arc<Survey>,
    /// Surveys of other block shapes that are possible for the launch. Empty if the block is specified, or if
    /// `tid.x` is the only thread index in the code.
    pub other_shapes: Vec<Arc<Survey>>,
}

/// Opcodes for which each lane supplies an address.
const BY_LANE: [&str; 19] = [
    "ATOM", "ATOMG", "ATOMS", "LD", "LDG", "LDGSTS", "LDL", "LDS", "LDSLK", "LDSM", "RED", "REDG", "ST",
    "STG", "STL", "STS", "STSCUL", "STSM", "STSUL",
];

/// Smallest ratio of used to required wavefronts or sectors at which an access is reported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    pub wavefronts: f64,
    pub sectors: f64,
}

/// Wavefronts or sectors per request of an instruction, averaged over the requests with at least one active
/// lane.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CostPerRequest {
    /// Requests per warp.
    pub requests: f64,
    /// Wavefronts or sectors per request.
    pub taken: f64,
    pub ideal: f64,
}

impl CostPerRequest {
    /// Wavefronts or sectors per warp above the required number.
    pub fn lost(self) -> f64 {
        self.requests * (self.taken - self.ideal)
    }

    /// Compares by the excess per request, then by the excess per warp.
    pub(crate) fn cmp_lost(self, other: Self) -> Ordering {
        let each = |taken: Self| taken.taken - taken.ideal;
        each(self).total_cmp(&each(other)).then(self.lost().total_cmp(&other.lost()))
    }
}

/// Reliability of an instruction's execution count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountReliability {
    Known,
    /// The count is approximate, because a trip count is a guess or the simulation of the warps was truncated.
    About,
    Unknown,
}

impl<'a> Memory<'a> {
    /// Stores the given facts. Addresses and definitions are computed on first use.
    pub fn new(
        chunk: &'a Chunk,
        program: &'a Program,
        isa_arch: &'a Arch,
        launches: Vec<SimulatedLaunch>,
        parameters: BTreeMap<u32, String>,
        limits: Limits,
    ) -> Self {
        let (addresses, definitions) = (OnceCell::new(), OnceCell::new());
        Self { chunk, program, isa_arch, launches, parameters, limits, source: None, addresses, definitions }
    }

    /// Sets the source text that is shown instead of the listing.
    #[must_use]
    pub fn of_source(self, source: Option<&'a dyn Source>) -> Self {
        Self { source, ..self }
    }

    /// The affine forms of the kernel's addresses.
    pub fn addresses(&self) -> &Addresses {
        self.addresses.get_or_init(|| Addresses::compute(self.chunk, self.program))
    }

    /// Use-def chains.
    pub(crate) fn definitions(&self) -> &Definitions {
        self.definitions.get_or_init(|| Definitions::compute(self.program, &self.isa_arch.isa))
    }

    /// Instructions that access memory with an address per lane in at least one launch, in text order.
    pub(crate) fn used(&self) -> BTreeSet<u32> {
        let all = self.launches.iter().flat_map(|launched| launched.survey.uses.keys().copied());
        all.filter(|&inst| self.is_by_lane(inst)).collect()
    }

    /// True if each lane supplies an address. False for warp-wide operations on a barrier, a tile or a cache line.
    pub fn is_by_lane(&self, inst: u32) -> bool {
        let mnemonic = self.chunk.mnemonic(&self.chunk.instructions()[inst as usize]);
        BY_LANE.contains(&mnemonic)
    }

    /// The address operands of an instruction, in text order. Each has its operand index and its byte range
    /// in the line.
    pub(crate) fn address_operands(&self, inst: u32) -> Vec<(u8, Range<u16>)> {
        let instruction = &self.chunk.instructions()[inst as usize];
        let line = self.chunk.line_text(instruction.line as usize);
        let mut found = Vec::new();
        for (tokens, at) in self.chunk.operands(instruction).zip(0_u8..) {
            let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
            let text = &line[first.start as usize..last.end()];
            let is_constant = text.trim_start_matches(['-', '|', '~']).starts_with('c');
            if text.contains('[') && !is_constant {
                found.push((at, first.start..last.start + last.len));
            }
        }
        found
    }

    /// Byte range of the address at which a finding on an access is reported. For a copy this is the source
    /// address, unless `of_destination` is set.
    pub(crate) fn place(&self, inst: u32, of_destination: bool) -> Range<u16> {
        let operands = self.address_operands(inst);
        let chosen = if of_destination { operands.first() } else { operands.last() };
        chosen.map_or_else(
            || {
                let token = self.chunk.mnemonic_token(&self.chunk.instructions()[inst as usize]);
                token.start..token.start + token.len
            },
            |(_, range)| range.clone(),
        )
    }
}

impl SimulatedLaunch {
    /// Memory use of an instruction in the launch's warps; `None` if no simulated warp executed the
    /// instruction.
    pub fn asked(&self, inst: u32) -> Option<&MemoryUse> {
        self.survey.uses.get(&inst)
    }

    /// Average number of requests that an instruction makes per warp.
    pub fn requests(&self, inst: u32) -> f64 {
        let on = self.asked(inst).map_or(0.0, |asked| asked.on);
        self.survey.counts.get(inst as usize).map_or(0.0, |counts| counts.executed * on)
    }

    /// Shared-memory wavefronts per request.
    pub fn wavefronts(&self, inst: u32) -> CostPerRequest {
        self.taken(inst, |asked| (asked.wavefronts, asked.wavefronts_ideal))
    }

    /// Global-memory sectors per request.
    pub fn sectors(&self, inst: u32) -> CostPerRequest {
        self.taken(inst, |asked| (asked.sectors, asked.sectors_ideal))
    }

    /// True if the loss of an access is a significant share of the cost of all accesses in the launch.
    /// Accesses by few warps or lanes are therefore not reported. `of` returns the cost of an instruction's
    /// requests.
    pub(crate) fn matters(&self, inst: u32, of: impl Fn(&Self, u32) -> CostPerRequest) -> bool {
        /// Smallest loss that is reported, as a share of the total.
        const MIN: f64 = 0.01; // limit: less is not worth a finding
        let all: f64 =
            self.survey.uses.keys().map(|&inst| of(self, inst)).map(|one| one.requests * one.taken).sum();
        of(self, inst).lost() >= MIN * all
    }

    fn taken(&self, inst: u32, of: impl Fn(&MemoryUse) -> (f64, f64)) -> CostPerRequest {
        let Some(asked) = self.asked(inst).filter(|asked| asked.on > 0.0) else {
            return CostPerRequest::default();
        };
        let (taken, ideal) = of(asked);
        CostPerRequest { requests: self.requests(inst), taken: taken / asked.on, ideal: ideal / asked.on }
    }

    /// Severity of a finding in this launch, if it differs from the rule's default: information if the block
    /// size is a guess.
    pub(crate) fn severity(&self) -> Option<Severity> {
        self.launch.is_guess().then_some(Severity::Info)
    }

    /// Reliability of the request counts. They are unknown for an assumed launch.
    pub(crate) fn counts(&self) -> CountReliability {
        match (self.launch.assumed, self.survey.is_cut || !self.survey.guessed_trips.is_empty()) {
            (true, _) => CountReliability::Unknown,
            (_, true) => CountReliability::About,
            _ => CountReliability::Known,
        }
    }

    /// True if an instruction's requests pass the test for all possible block shapes. False if the instruction is not
    /// executed for one of these shapes.
    pub(crate) fn holds(&self, inst: u32, mut test: impl FnMut(&MemoryUse) -> bool) -> bool {
        let mut all = std::iter::once(&self.survey).chain(&self.other_shapes);
        all.all(|survey| survey.uses.get(&inst).is_some_and(&mut test))
    }
}
