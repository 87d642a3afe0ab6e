//! Scoreboards: who holds one, and when it is released.

use super::Reason;
use super::collector::Collector;
use machine::Pipeline;

/// When a scoreboard is released.
#[derive(Debug, Clone, Copy)]
pub(super) enum Release {
    At(u64),
    /// With the write of the last of these registers, which happens at `end` if the write port is free.
    Written {
        end: u64,
        register: u8,
        count: u8,
    },
}

impl Release {
    /// Returns the cycle, as far as it is known now; it can only become later.
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
pub(super) struct Board {
    /// A wait that issues before does not see it.
    pub visible: u64,
    pub release: Release,
    /// The instruction.
    pub on: u32,
    pub reason: Reason,
}
