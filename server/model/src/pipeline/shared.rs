//! Resources that the sub-cores of an SM share.

use super::code::cycles;
use super::cycles::Cycles;
use super::memory::{Memory, MemoryRequest};
use machine::Pipeline;

/// State of the resources that an SM's sub-cores share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Cycles in which shared memory's data path is taken.
    pub wavefronts: Cycles,
    /// Cycle from which the L1 cache's path is free.
    pub lines: u64,
    /// Cycles in which the two paths were taken.
    pub wavefront_cycles: u64,
    pub line_cycles: u64,
    /// Cycle from which the SM can register the next warp at a barrier.
    pub barriers: u64,
    /// Memory request of the instruction that issues; `None` if it makes none or the request is unknown.
    pub access: Option<Box<MemoryRequest>>,
    /// The memory below the L1 cache; without it every access hits L1.
    pub memory: Option<Memory>,
}

impl Shared {
    /// Occupies the data path for `count` wavefronts of one sub-core, and returns the end.
    pub(super) fn wavefronts(&mut self, figures: &Pipeline, from: u64, count: u64) -> u64 {
        let mut cycle = from;
        for _ in 0..count {
            cycle = self.wavefronts.next_free(cycle);
            self.wavefronts.insert(cycle);
            cycle += cycles(&figures.shared.wavefront);
        }
        cycle
    }
}
