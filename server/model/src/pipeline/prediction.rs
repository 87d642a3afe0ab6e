//! The prediction of a launch: what it says, how sure it is, and what it may cost.

use super::Reason;
use super::views::Pipe;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Prediction of a launch on a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// From the launch to its end, as ncu's `sm__cycles_elapsed.max` counts them, in the usual case. Use
    /// [`Prediction::number`] to show them.
    pub cycles: f64,
    /// Blocks that an SM holds at a time.
    pub resident_blocks: u32,
    /// Times that the part is filled with blocks.
    pub waves: f64,
    /// Warp instructions of the whole launch.
    pub instructions: f64,
    /// Share of the warps' waiting, by reason, the largest first; those that wait for their turn are left out.
    pub stalls: Vec<(Reason, f64)>,
    /// Each instruction's share of the warps' time, from an issue to the next one, with the reason for most of its waiting; 0 for
    /// one that no warp executes.
    pub shares: Box<[(f64, Option<Reason>)]>,
    /// Busy share of the time of each resource, the busiest first.
    pub busy: Vec<(Resource, f64)>,
    /// Share of sectors found in the L1 cache; `None` where none was asked for.
    pub l1_hit: Option<f64>,
    /// Share found in the L2 cache of the sectors that missed the L1 cache.
    pub l2_hit: Option<f64>,
    /// Bytes that the whole launch moves between the SMs and the L2 cache, and between that and DRAM.
    pub l2_bytes: f64,
    pub dram_bytes: f64,
    /// Branches of loops whose trips are a guess.
    pub guessed_trips: BTreeSet<u32>,
    /// Accesses to global memory whose addresses are not known: they are taken to be scattered over half the lanes.
    pub unknown_addresses: BTreeSet<u32>,
    /// Instructions whose lanes, next instruction or requests of shared memory depend on values that are not known.
    pub undecided: BTreeSet<u32>,
    /// Share of the SM's work that was simulated.
    pub simulated: f64,
    /// Whether `cycles` may be said at all.
    pub certainty: Certainty,
}

/// Resource that the warps of a launch compete for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Resource {
    Pipe(Pipe),
    L2,
    Dram,
    /// The start and the end of blocks.
    Blocks,
}

impl Resource {
    /// Returns the name as reports print it: `DRAM`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pipe(pipe) => pipe.name(),
            Self::L2 => "L2",
            Self::Dram => "DRAM",
            Self::Blocks => "block starts",
        }
    }
}

/// Limiter of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limiter {
    Busy(Resource),
    /// Nothing is busy enough: warps wait, mostly for that reason.
    Latency(Option<Reason>),
}

/// Share of the time from which on what is busy is what limits.
const LIMITS: f64 = 0.6;

impl Prediction {
    /// The cycles, where they are one number.
    pub fn number(&self) -> Option<f64> {
        (self.certainty == Certainty::Settled).then_some(self.cycles)
    }

    /// The busiest resource if it is busy most of the time, else the reason for most waiting.
    pub fn limiter(&self) -> Limiter {
        match self.busy.first() {
            Some(&(resource, share)) if share >= LIMITS => Limiter::Busy(resource),
            _ => Limiter::Latency(self.stalls.first().map(|stall| stall.0)),
        }
    }
}

/// Why there is no prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPrediction {
    /// No block of this launch fits on an SM.
    DoesNotFit,
    NoCode,
    Cancelled,
}

/// The part of a launch that is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Warp instructions of one simulation, about.
    pub instructions: u64,
}

impl Budget {
    /// A budget of that many warp instructions for each simulation of a prediction.
    pub const fn new(instructions: u64) -> Self {
        Self { instructions }
    }
}

/// The certainty of a launch's cycles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Certainty {
    /// They are one number.
    Settled,
    /// They depend on what memory holds, or on parameters that the launch does not state: the cycles at best and at worst.
    Between { low: f64, high: f64 },
    /// Most of the time is in instructions without a measured time; the mnemonic of those with the largest effect.
    NotTimed(Box<str>),
}
