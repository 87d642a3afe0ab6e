//! Registers and shared memory that a block needs.

use super::{Product, Tile, Unit};
use machine::{Gpu, SmResources};
use model::paper::occupancy::BlockNeeds;
use std::fmt;

/// Resources that a block needs, including buffers for its stages.
///
/// The shared memory, in bytes, is the size of the tiles of A and B times the number of buffers: one buffer per stage
/// if groups of four warps multiply, otherwise one fewer. The register count is an estimate. Source of the sizes: code
/// that Triton 3.9.0 generates for about 120 configurations on sm_80 to sm_120.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    pub threads: u32,
    pub registers: u32,
    pub shared: u32,
    /// Number of registers per thread that hold sums.
    pub sums: u32,
}

/// Reason why a configuration cannot run, or cannot run without spilling its sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CannotRun {
    /// The block needs too much shared memory. Both sizes are in bytes.
    Shared {
        needed: u32,
        most: u32,
    },
    Registers {
        needed: u32,
        most: u32,
    },
    Threads {
        needed: u32,
        most: u32,
    },
}

impl fmt::Display for CannotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared { needed, most } => {
                write!(f, "cannot run: the tiles need {needed} bytes of shared memory; the limit is {most}")
            }
            Self::Registers { needed, most } => {
                write!(
                    f,
                    "spills: the accumulators alone need {needed} registers per thread; the limit is {most}"
                )
            }
            Self::Threads { needed, most } => {
                write!(f, "cannot run: a block has {needed} threads; the limit is {most}")
            }
        }
    }
}

/// Registers per thread in addition to the sums: the first number if groups of four warps multiply, the
/// second if each warp multiplies separately. Source: code that Triton 3.9.0 generates for about 120
/// configurations on sm_80 to sm_120.
const BESIDE_SUMS: [u32; 2] = [24, 40];
/// Registers per sum, including its share of the fragments. Source: as above.
const FOR_EACH_SUM: f64 = 1.5;

impl Needs {
    /// Returns the resources that a block needs, even if the GPU does not have them.
    pub(super) fn new(product: &Product, tile: &Tile, unit: Unit, gpu: &Gpu) -> Self {
        let resources = &gpu.arch.resources;
        let threads = tile.warps.saturating_mul(resources.warp_size);
        let buffers = match unit {
            Unit::GroupTensor => tile.stages,
            Unit::Tensor | Unit::Lanes => tile.stages.saturating_sub(1),
        };
        let shared = tile.bytes(product).saturating_mul(u64::from(buffers.max(1)));
        let sums = (u64::from(tile.block_m) * u64::from(tile.block_n)).div_ceil(u64::from(threads.max(1)));
        let [group, single] = BESIDE_SUMS;
        let adjacent = if unit == Unit::GroupTensor { group } else { single };
        let registers = (f64::from(adjacent) + FOR_EACH_SUM * sums as f64) as u32;
        let registers = registers.min(max_registers(resources, threads));
        let saturated = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        Self { threads, registers, shared: saturated(shared), sums: saturated(sums) }
    }

    /// Returns `Err` if the block exceeds the resources of the GPU.
    pub(super) fn check(&self, gpu: &Gpu) -> Result<BlockNeeds, CannotRun> {
        let resources = &gpu.arch.resources;
        let most = resources.max_threads_per_block.value;
        if self.threads > most {
            return Err(CannotRun::Threads { needed: self.threads, most });
        }
        let most = resources.shared_per_block.value;
        if self.shared > most {
            return Err(CannotRun::Shared { needed: self.shared, most });
        }
        let most = max_registers(resources, self.threads);
        if self.sums > most {
            return Err(CannotRun::Registers { needed: self.sums, most });
        }
        Ok(BlockNeeds { threads: self.threads, registers: self.registers, shared: self.shared })
    }
}

/// Maximum number of registers per thread in a block of `threads` threads.
fn max_registers(resources: &SmResources, threads: u32) -> u32 {
    let of_block = resources.registers_per_block.value / threads.max(1);
    of_block.min(resources.max_registers_per_thread.value)
}

impl Tile {
    /// Bytes of the tiles of A and B per stage.
    pub(super) fn bytes(&self, product: &Product) -> u64 {
        let elements =
            (u64::from(self.block_m) + u64::from(self.block_n)).saturating_mul(self.block_k.into());
        elements.saturating_mul(u64::from(product.element.bytes()))
    }
}
