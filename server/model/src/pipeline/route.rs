//! Routes of a simulation's warps, instruction by instruction.

use super::memory::MemoryRequest;

/// Guide of a simulation's warps.
pub(super) trait Route {
    /// The warp issues that instruction now.
    fn step(&mut self, warp: usize, inst: u32) -> RouteStep;

    /// A place of a warp is free: the first instruction of the warp that takes it, if there is one.
    fn begin(&mut self, warp: usize) -> Option<u32>;
}

/// Consequences of an instruction's issue.
#[derive(Debug)]
pub(super) struct RouteStep {
    /// The instruction that comes next, and whether it is a branch's target; `None` at the end.
    pub next: Option<(u32, bool)>,
    /// Its request to memory, where the route knows it.
    pub access: Option<Box<MemoryRequest>>,
    /// Requests on a part of the way that is passed over.
    pub passed: Vec<MemoryRequest>,
}
