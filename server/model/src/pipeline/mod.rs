//! `pipeline`: an issue simulation of one SM, driven by the control codes.
//!
//! A warp's instructions issue in order. The stages determine the first cycle in which an instruction can
//! issue: stall count and instruction fetch, scoreboards, pipe, queues. The sub-core selects a warp, whose
//! instruction then occupies operand latches, register ports, queue entries and wavefronts. Views are
//! notified of each issue and do not affect the simulation. The rules and their known gaps are in this crate's
//! README. The timing data are in `machine/data/<sm>/pipeline.toml`.

mod blocks;
mod cache;
mod clock;
mod code;
mod collector;
mod cycles;
mod engine;
mod footprint;
mod groups;
mod held_scoreboard;
mod instruction_path;
mod launch;
mod launch_route;
mod lines;
mod loops;
mod memory;
mod mio;
mod objects;
mod path;
mod prediction;
mod remote;
mod requests;
mod route;
mod shared;
mod shares;
mod slices;
mod sm;
mod sub_core;
#[cfg(test)]
mod tests;
mod tiles;
pub mod views;
mod warp;

pub use blocks::{BlockIssue, block_issues};
pub use clock::clock_reads;
pub use code::Code;
pub(crate) use collector::{BANKS, SLOTS};
pub use instruction_path::{InstructionPath, NoPath};
pub use launch::predict;
pub use loops::{LoopTime, loop_times};
pub use path::{Branch, Path};
pub use prediction::{Budget, Certainty, Limiter, NoPrediction, Prediction, Resource};
pub use sm::{Stop, simulate};

use serde::{Deserialize, Serialize};

/// An issue of an instruction by a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issue {
    pub warp: u32,
    pub sub_core: u32,
    /// Index of the instruction in the program.
    pub inst: u32,
    pub cycle: u64,
    pub stall: Stall,
    /// The cycles since the warp's preceding issue, split by stall reason, in the order in which the stalls ended.
    pub waits: [(Reason, u64); 4],
}

/// Reason why an instruction did not issue in the cycle after its predecessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// Cycles between the two issues.
    pub cycles: u64,
    /// The reason of the last wait.
    pub reason: Reason,
    /// The instruction that the stall waited for; `None` if the stall has another cause.
    pub on: Option<u32>,
}

impl Stall {
    const NONE: Self = Self { cycles: 0, reason: Reason::Wait, on: None };
}

/// Warp states, named as in Nsight Compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Reason {
    /// The stall count.
    Wait,
    /// A scoreboard of memory outside the SM.
    LongScoreboard,
    /// A scoreboard of shared memory, special registers, transcendentals and similar instructions.
    ShortScoreboard,
    /// The queue of memory instructions is full.
    MioThrottle,
    /// The queue of global and local memory instructions is full.
    LgThrottle,
    /// The pipe is busy with an earlier instruction.
    MathPipeThrottle,
    /// Operands are late, because register ports or operand latches are busy.
    Dispatch,
    Barrier,
    /// A fence.
    Membar,
    BranchResolving,
    /// Instructions are being fetched.
    NoInstruction,
    /// Another warp of the sub-core issues.
    NotSelected,
}

impl Reason {
    /// All reasons, in the order of their discriminants.
    const ALL: [Self; 12] = [
        Self::Wait,
        Self::LongScoreboard,
        Self::ShortScoreboard,
        Self::MioThrottle,
        Self::LgThrottle,
        Self::MathPipeThrottle,
        Self::Dispatch,
        Self::Barrier,
        Self::Membar,
        Self::BranchResolving,
        Self::NoInstruction,
        Self::NotSelected,
    ];

    /// Returns the reason's name in ncu's metrics, such as `long_scoreboard`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::LongScoreboard => "long_scoreboard",
            Self::ShortScoreboard => "short_scoreboard",
            Self::MioThrottle => "mio_throttle",
            Self::LgThrottle => "lg_throttle",
            Self::MathPipeThrottle => "math_pipe_throttle",
            Self::Dispatch => "dispatch_stall",
            Self::Barrier => "barrier",
            Self::Membar => "membar",
            Self::BranchResolving => "branch_resolving",
            Self::NoInstruction => "no_instruction",
            Self::NotSelected => "not_selected",
        }
    }
}

/// Listener of a simulation.
pub trait View {
    /// Handles an issue. Returns `false` to end the simulation.
    fn issued(&mut self, issue: &Issue) -> bool;
}
