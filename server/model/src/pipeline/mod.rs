//! `pipeline`: an issue simulation of one SM, driven by the control codes.
//!
//! A warp's instructions issue in order. Stages say from when each can: the stall count and the fetch of instructions,
//! the scoreboards, the pipe, the queues; the sub-core picks a warp, and the stages take what it asks for: operand
//! latches and register ports, places in queues, wavefronts. Views are notified of each issue and change nothing. The
//! rules, and what is unknown about them, are in this crate's README; their figures are in
//! `machine/data/<sm>/pipeline.toml`.

mod blocks;
mod board;
mod cache;
mod clock;
mod code;
mod collector;
mod cycles;
mod footprint;
mod launch;
mod launch_route;
mod lines;
mod loops;
mod memory;
mod mio;
mod path;
mod prediction;
mod requests;
mod route;
mod shared;
mod shares;
mod slices;
mod sm;
mod sub_core;
#[cfg(test)]
mod tests;
pub mod views;
mod warp;
mod way;

pub use blocks::{BlockIssue, block_issues};
pub use clock::clock_reads;
pub use code::Code;
pub(crate) use collector::{BANKS, SLOTS};
pub use launch::predict;
pub use loops::{LoopTime, loop_times};
pub use path::{Branch, Path};
pub use prediction::{Budget, Certainty, Limiter, NoPrediction, Prediction, Resource};
pub use sm::{Stop, simulate};
pub use way::{InstructionPath, NoPath};

use serde::{Deserialize, Serialize};

/// One instruction of one warp, issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issue {
    pub warp: u32,
    pub sub_core: u32,
    /// Its index in the program.
    pub inst: u32,
    pub cycle: u64,
    pub stall: Stall,
    /// The cycles since the warp's last issue, by what it waited for in turn.
    pub waits: [(Reason, u64); 4],
}

/// Why an instruction did not issue in the cycle after the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// Between the two issues.
    pub cycles: u64,
    /// Reason that it waited for last.
    pub reason: Reason,
    /// The instruction that it waited for, where it is one.
    pub on: Option<u32>,
}

impl Stall {
    const NONE: Self = Self { cycles: 0, reason: Reason::Wait, on: None };
}

/// The names of Nsight Compute's warp states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Reason {
    /// The stall count.
    Wait,
    /// A scoreboard of memory outside the SM.
    LongScoreboard,
    /// A scoreboard of shared memory, special registers, transcendentals and the like.
    ShortScoreboard,
    /// The queue of memory instructions is full.
    MioThrottle,
    /// The same, for global and local memory.
    LgThrottle,
    /// The pipe still works on an earlier instruction.
    MathPipeThrottle,
    /// Operands come late: register ports or operand latches are taken.
    Dispatch,
    Barrier,
    BranchResolving,
    /// Instructions are fetched.
    NoInstruction,
    /// Another warp of the sub-core issues.
    NotSelected,
}

impl Reason {
    /// All of them, in the order of their discriminants.
    const ALL: [Self; 11] = [
        Self::Wait,
        Self::LongScoreboard,
        Self::ShortScoreboard,
        Self::MioThrottle,
        Self::LgThrottle,
        Self::MathPipeThrottle,
        Self::Dispatch,
        Self::Barrier,
        Self::BranchResolving,
        Self::NoInstruction,
        Self::NotSelected,
    ];

    /// Returns the reason's name in ncu's metrics: `long_scoreboard`.
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
            Self::BranchResolving => "branch_resolving",
            Self::NoInstruction => "no_instruction",
            Self::NotSelected => "not_selected",
        }
    }
}

/// Listens to a simulation.
pub trait View {
    /// Takes note of an issue; `false` ends the simulation.
    fn issued(&mut self, issue: &Issue) -> bool;
}
