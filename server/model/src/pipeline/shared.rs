//! Resources that the sub-cores of an SM share.

use super::cycles::Cycles;
use super::engine::Engine;
use super::memory::{Memory, MemoryRequest};
use super::remote::Network;
use machine::Pipeline;

/// State of the resources that an SM's sub-cores share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// First cycle in which the tags of the L1 cache can be looked up.
    pub lines: u64,
    /// Cycles in which the data path of shared memory is busy. Words read from the L1 cache use this path, too.
    pub wavefronts: Cycles,
    /// Busy cycles of the data path of shared memory. `line_cycles` is the same for the path to the L1 cache.
    pub wavefront_cycles: u64,
    pub line_cycles: u64,
    /// First cycle in which the SM can register the next warp at a barrier.
    pub barriers: u64,
    /// Memory request of the issuing instruction; `None` if it makes no request or the request is unknown.
    pub access: Option<Box<MemoryRequest>>,
    pub engine: Engine,
    pub network: Network,
    /// First cycle in which the texture unit is free. `texture_cycles` is the number of its busy cycles.
    pub texture: u64,
    pub texture_cycles: u64,
    /// Cycles for which the tensor cores of all sub-cores worked on warpgroup matrix products.
    pub multiplied: u64,
    /// The global memory system; `None` if every access hits the L1 cache.
    pub memory: Option<Memory>,
}

impl Shared {
    /// Returns the cycle in which all accesses outside the SM so far are complete.
    pub(super) fn outstanding(&self) -> u64 {
        self.memory.as_ref().map_or(0, |memory| memory.outstanding).max(self.network.outstanding)
    }

    /// Occupies the data path for `count` wavefronts of operands of a warpgroup matrix product. Returns the cycle in which
    /// the operands are read.
    ///
    /// The four warps of a warpgroup take turns.
    pub(super) fn operands(&mut self, figures: &Pipeline, from: u64, count: u64) -> u64 {
        let mut cycle = from;
        for _ in 0..count {
            cycle = self.wavefronts.next_free(cycle);
            self.wavefronts.insert(cycle);
            cycle += figures.sub_cores() as u64;
        }
        self.wavefront_cycles += count;
        cycle
    }

    /// Occupies the data path for `count` wavefronts of one sub-core, at least `apart` cycles apart. Returns the cycle
    /// in which the sub-core's next wavefront can follow.
    pub(super) fn wavefronts(&mut self, from: u64, count: u64, apart: u64) -> u64 {
        let mut cycle = from;
        for _ in 0..count {
            cycle = self.wavefronts.next_free(cycle);
            self.wavefronts.insert(cycle);
            cycle += apart;
        }
        cycle
    }
}
