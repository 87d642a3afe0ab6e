//! The prediction of a launch: its numbers, its certainty, and the budget of its simulations.

use super::Reason;
use super::views::Pipe;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Prediction of a launch on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Cycles from the launch to its end, as ncu's `sm__cycles_elapsed.max` counts them, with typical values for unknowns.
    /// [`Prediction::number`] returns the cycles to display.
    pub cycles: f64,
    /// Lower and upper end of the interval of the cycles. Nine of ten measured launches lie within their interval.
    pub low: f64,
    pub high: f64,
    /// Number of blocks that an SM holds concurrently.
    pub resident_blocks: u32,
    /// Number of waves: blocks of the grid divided by the blocks that the GPU holds concurrently.
    pub waves: f64,
    /// Number of warp instructions in the launch.
    pub instructions: f64,
    /// Share of the warps' waiting time, by reason, the largest first. [`Reason::NotSelected`] is omitted.
    pub stalls: Vec<(Reason, f64)>,
    /// Each instruction's share of the warps' time, and the reason for most of its stall cycles. The time of an
    /// instruction lasts from the warp's preceding issue to the instruction's issue, without
    /// [`Reason::NotSelected`]. The share is 0 for an instruction that no warp executes.
    pub shares: Box<[(f64, Option<Reason>)]>,
    /// Share of the time in which each resource is busy, the busiest first.
    pub busy: Vec<(Resource, f64)>,
    /// Share of sectors found in the L1 cache; `None` if no sector was requested.
    pub l1_hit: Option<f64>,
    /// L2 hit rate: 1 minus the ratio of `dram_bytes` to `l2_bytes`, at least 0. `None` if `l2_bytes` is 0.
    pub l2_hit: Option<f64>,
    /// Bytes that the launch moves between the SMs and the L2 cache.
    pub l2_bytes: f64,
    /// Bytes that the launch moves between the L2 cache and DRAM.
    pub dram_bytes: f64,
    /// Branches of loops whose trip count is a guess.
    pub guessed_trips: BTreeSet<u32>,
    /// Global accesses at unknown addresses, which are assumed to touch about half as many lines as lanes.
    pub unknown_addresses: BTreeSet<u32>,
    /// Instructions whose lanes, successor or shared memory requests depend on unknown values.
    pub undecided: BTreeSet<u32>,
    /// Branches to slow paths, such as those of a division, that are assumed not to be taken. Empty if the slow paths
    /// would hardly change the cycles.
    pub slow_paths: BTreeSet<u32>,
    /// Share of the SM's work that was simulated.
    pub simulated: f64,
    /// Certainty of `cycles`: a single number, a range, or not timed.
    pub certainty: Certainty,
}

/// Resource that the warps of a launch compete for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Resource {
    Pipe(Pipe),
    L2,
    Dram,
    /// Starts and ends of blocks.
    Blocks,
    /// The SM's port to shared memory of other SMs.
    Network,
}

impl Resource {
    /// Returns the name used in reports, such as `DRAM`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pipe(pipe) => pipe.name(),
            Self::L2 => "L2",
            Self::Dram => "DRAM",
            Self::Blocks => "block starts",
            Self::Network => "shared memory of other SMs",
        }
    }
}

/// Limiter of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limiter {
    Busy(Resource),
    /// No resource is busy enough to be the limiter; warps mostly wait for this reason.
    Latency(Option<Reason>),
}

/// Minimum busy share at which a resource counts as the limiter.
const LIMITS: f64 = 0.6; // Source: a guess; the share is shown with the limiter

/// Maximum ratio of the worst case to the best case at which a single number is displayed.
const MAX_RANGE_RATIO: f64 = 1.5; // limit: a wider range says little

impl Prediction {
    /// Returns the cycles to display. `None` if an instruction is not timed or a wait does not end. Also `None` if the
    /// cycles depend on unknown values, and either the worst case exceeds the best case by more than half or the trip
    /// count of a loop is a guess.
    pub fn number(&self) -> Option<f64> {
        match self.certainty {
            Certainty::Settled => Some(self.cycles),
            Certainty::Between { low, high } => {
                (high <= MAX_RANGE_RATIO * low && self.guessed_trips.is_empty()).then_some(self.cycles)
            }
            Certainty::NotTimed(_) | Certainty::EndlessWait(_) => None,
        }
    }

    /// Returns the busiest resource if its busy share is at least `LIMITS`, otherwise the most frequent stall
    /// reason.
    pub fn limiter(&self) -> Limiter {
        match self.busy.first() {
            Some(&(resource, share)) if share >= LIMITS => Limiter::Busy(resource),
            _ => Limiter::Latency(self.stalls.first().map(|stall| stall.0)),
        }
    }
}

/// Reason why a launch has no prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPrediction {
    /// No block of this launch fits on an SM.
    DoesNotFit,
    NoCode,
    Cancelled,
}

/// Limit on the length of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Approximate maximum number of warp instructions in one simulation.
    pub instructions: u64,
}

impl Budget {
    /// Creates a budget of `instructions` warp instructions for each simulation of a prediction.
    pub const fn new(instructions: u64) -> Self {
        Self { instructions }
    }
}

/// The certainty of a launch's cycles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Certainty {
    /// The cycles are a single number.
    Settled,
    /// The cycles depend on memory contents, or on parameters that the launch does not state. `low` is the
    /// best case, and `high` is the worst case.
    Between { low: f64, high: f64 },
    /// Instructions without a measured time may change the cycles by more than a tenth, or an asynchronous operation has
    /// unknown operands. Holds the mnemonic with the largest effect, or that of the operation.
    NotTimed(Box<str>),
    /// Warps wait for an event that no simulated warp causes. Holds the mnemonic of an instruction that waits.
    EndlessWait(Box<str>),
}
