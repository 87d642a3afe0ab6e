//! Names of memory spaces, occupancy limiters and bottlenecks. All views use the same names.

use machine::MemorySpace;
use model::OccupancyLimiter;

pub(crate) const fn space_name(space: MemorySpace) -> &'static str {
    match space {
        MemorySpace::Shared => "shared",
        MemorySpace::Global => "global",
        MemorySpace::Local => "local",
        MemorySpace::Constant => "constant",
        MemorySpace::Generic => "generic",
        MemorySpace::Texture => "texture",
        MemorySpace::Surface => "surface",
        MemorySpace::Tensor => "tensor",
    }
}

/// Returns the meaning of a bottleneck of the ICS'17 model (Zhou et al.), given its name: `ilp`, `comp`, `mem` or `pipe`.
/// The value of a bottleneck ranges from 0 (best) to 1 (worst).
pub fn bottleneck_meaning(name: &str) -> &'static str {
    match name {
        "ilp" => "unused parallelism within a warp",
        "comp" => "idle arithmetic units",
        "mem" => "unused load/store bandwidth",
        _ => "latency that is not hidden",
    }
}

pub(crate) const fn limiter_name(limiter: OccupancyLimiter) -> &'static str {
    match limiter {
        OccupancyLimiter::Warps => "warps",
        OccupancyLimiter::Blocks => "blocks",
        OccupancyLimiter::Registers => "registers",
        OccupancyLimiter::Shared => "shared memory",
        OccupancyLimiter::Barriers => "barriers",
        OccupancyLimiter::Impossible => "the launch itself",
    }
}
