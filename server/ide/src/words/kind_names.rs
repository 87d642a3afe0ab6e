//! The names of memory spaces, and of what limits occupancy, as all views print them.

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
