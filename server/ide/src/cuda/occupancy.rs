//! Upper bound on the occupancy of a launch, from block size and shared memory.

use advisor::cuda::SimulatedLaunch;
use model::paper::occupancy::{BlockNeeds, occupancy};
use model::{Gpu, OccupancyLimiter};

/// Upper bound on the resident warps per SM. Registers are only known after compilation and may reduce it
/// further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OccupancyBound {
    pub warps: u32,
    pub max_warps: u32,
    pub blocks: u32,
    pub limiter: OccupancyLimiter,
    /// Bytes of shared memory per block: static shared memory and, if known, the launch's dynamic shared
    /// memory.
    pub shared: u64,
}

/// Computes the upper bound for a launch.
pub(crate) fn occupancy_bound(launched: &SimulatedLaunch, gpu: &Gpu) -> OccupancyBound {
    let shared = launched.shared_bytes();
    let needs = BlockNeeds {
        threads: launched.launch.threads(),
        registers: 0,
        shared: u32::try_from(shared).unwrap_or(u32::MAX),
    };
    let found = occupancy(&gpu.arch.resources, needs);
    OccupancyBound {
        warps: found.active_warps,
        max_warps: found.max_warps,
        blocks: found.active_blocks,
        limiter: found.limiter,
        shared,
    }
}

impl OccupancyBound {
    /// Returns the upper bound on the occupancy, 0 to 1.
    pub(crate) fn share(self) -> f64 {
        f64::from(self.warps) / f64::from(self.max_warps.max(1))
    }

    /// Returns the name of the limiting resource: `shared`, `blocks`, `warps`, `barriers` or `impossible`.
    pub(crate) const fn limit(self) -> &'static str {
        match self.limiter {
            OccupancyLimiter::Shared => "shared",
            OccupancyLimiter::Blocks => "blocks",
            OccupancyLimiter::Barriers => "barriers",
            OccupancyLimiter::Impossible => "impossible",
            OccupancyLimiter::Warps | OccupancyLimiter::Registers => "warps",
        }
    }

    /// Returns the upper bound as text: `at most 50 % occupancy: shared memory 48 KB`.
    pub(crate) fn in_words(self) -> String {
        let by = match self.limiter {
            OccupancyLimiter::Impossible => return "no block fits on an SM".to_owned(),
            _ if self.warps >= self.max_warps => return "at most 100 % occupancy".to_owned(),
            OccupancyLimiter::Shared if self.shared.is_multiple_of(1024) => {
                format!("shared memory {} KB", self.shared / 1024)
            }
            OccupancyLimiter::Shared => format!("shared memory {} B", self.shared),
            OccupancyLimiter::Blocks | OccupancyLimiter::Barriers => {
                format!("at most {} blocks per SM", self.blocks)
            }
            OccupancyLimiter::Warps | OccupancyLimiter::Registers => "block size".to_owned(),
        };
        format!("at most {:.0} % occupancy: {by}", 100.0 * self.share())
    }
}
