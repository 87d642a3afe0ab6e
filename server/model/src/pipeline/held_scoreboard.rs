//! Scoreboards: the instruction that holds a scoreboard, and the cycle of its release.

use super::Reason;
use super::collector::Collector;
use machine::Pipeline;

/// Release time of a scoreboard.
#[derive(Debug, Clone, Copy)]
pub(super) enum Release {
    At(u64),
    /// Released by the write of the last of these registers, at `end` if the write port is free.
    Written {
        end: u64,
        register: u8,
        count: u8,
    },
}

impl Release {
    /// Returns the cycle of the release as currently known; later issues can only delay it.
    pub(super) fn cycle(self, collector: &Collector, figures: &Pipeline) -> u64 {
        match self {
            Self::At(cycle) => cycle,
            Self::Written { end, register, count } => {
                collector.written(figures, (end + 1).saturating_sub(count.into()), register, count)
            }
        }
    }
}

/// An instruction that holds a scoreboard.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldScoreboard {
    /// First cycle in which a wait on the scoreboard sees this instruction.
    pub visible: u64,
    pub release: Release,
    /// Index of the instruction.
    pub on: u32,
    pub reason: Reason,
}
