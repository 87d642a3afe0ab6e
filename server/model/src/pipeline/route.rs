//! Routes of a simulation's warps, instruction by instruction.

use super::memory::MemoryRequest;
use crate::execution::Asynchronous;

/// Source of the control flow of a simulation's warps.
pub(super) trait Route {
    /// Advances a warp past the instruction `inst`, which it issues.
    fn step(&mut self, warp: usize, inst: u32) -> RouteStep;

    /// Returns the first instruction of the next warp for a free warp slot; `None` if no warp is left.
    fn begin(&mut self, warp: usize) -> Option<u32>;
}

/// Consequences of an instruction's issue.
#[derive(Debug)]
pub(super) struct RouteStep {
    /// The next instruction, and true if a taken branch leads there. `None` at the end of the warp's code.
    pub next: Option<(u32, bool)>,
    /// True if the guard is false in all lanes.
    pub is_off: bool,
    /// Memory request of the instruction; `None` if the instruction makes no request or the request is
    /// unknown.
    pub access: Option<Box<MemoryRequest>>,
    /// Asynchronous operation that the instruction starts.
    pub asynchronous: Option<Asynchronous>,
    /// Requests of instructions that are skipped before the next simulated instruction.
    pub passed: Vec<MemoryRequest>,
}
