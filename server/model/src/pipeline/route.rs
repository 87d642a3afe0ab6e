//! Routes of a simulation's warps, instruction by instruction.

use super::memory::MemoryRequest;

/// Source of the control flow of a simulation's warps.
pub(super) trait Route {
    /// Called when a warp issues an instruction; returns the consequences.
    fn step(&mut self, warp: usize, inst: u32) -> RouteStep;

    /// Called when a warp slot is free; returns the first instruction of the next warp, or `None` if no warp is left.
    fn begin(&mut self, warp: usize) -> Option<u32>;
}

/// Consequences of an instruction's issue.
#[derive(Debug)]
pub(super) struct RouteStep {
    /// The next instruction, and whether a taken branch leads there; `None` at the end.
    pub next: Option<(u32, bool)>,
    /// Its memory request; `None` if it makes none or the route does not know it.
    pub access: Option<Box<MemoryRequest>>,
    /// Requests of instructions that are skipped before the next one.
    pub passed: Vec<MemoryRequest>,
}
