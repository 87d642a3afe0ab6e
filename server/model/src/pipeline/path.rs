//! The control-flow path that warps take through the code.

use super::route::{Route, RouteStep};
use rustc_hash::FxHashMap;

/// A path from one instruction to another, the same for all warps.
#[derive(Debug, Clone, Default)]
pub struct Path {
    /// The first instruction that warps issue.
    pub start: u32,
    /// The instruction that ends the path, unless the code ends earlier.
    pub end: u32,
    /// Number of times that `end` is issued. Rounds before the last only set up scoreboards and queues, so their loops
    /// are cut short.
    pub rounds: u32,
    /// Taken branches, by instruction. All other branches fall through.
    pub branches: FxHashMap<u32, Branch>,
}

/// A branch that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Branch {
    pub target: u32,
    /// Number of consecutive times that the branch is taken before it falls through; `None` if it is always
    /// taken.
    pub times: Option<u32>,
}

/// Route of warps that all take the same path.
pub(super) struct OnePath<'a> {
    path: &'a Path,
    progress: Vec<Progress>,
}

impl<'a> OnePath<'a> {
    pub(super) fn new(path: &'a Path, warps: u32) -> Self {
        Self { path, progress: (0..warps).map(|_| Progress::default()).collect() }
    }
}

impl Route for OnePath<'_> {
    fn step(&mut self, warp: usize, inst: u32) -> RouteStep {
        RouteStep {
            is_off: false,
            next: self.progress[warp].next(self.path, inst),
            access: None,
            asynchronous: None,
            passed: Vec::new(),
        }
    }

    fn begin(&mut self, _: usize) -> Option<u32> {
        None
    }
}

/// Maximum iterations of a loop in rounds before the last.
const TRACES: u32 = 2; // limit: time

/// Progress of one warp.
#[derive(Debug, Clone, Default)]
struct Progress {
    rounds: u32,
    taken: FxHashMap<u32, u32>,
}

impl Progress {
    /// Returns the instruction that follows `inst`, and true if a taken branch leads there. `None` at the end
    /// of the path.
    fn next(&mut self, path: &Path, inst: u32) -> Option<(u32, bool)> {
        if inst == path.end {
            self.rounds += 1;
            if self.rounds >= path.rounds {
                return None;
            }
        }
        let Some(branch) = path.branches.get(&inst) else { return Some((inst + 1, false)) };
        if let Some(times) = branch.times {
            let times = if self.rounds + 1 < path.rounds { times.min(TRACES) } else { times };
            let taken = self.taken.entry(inst).or_default();
            if *taken >= times {
                *taken = 0;
                return Some((inst + 1, false));
            }
            *taken += 1;
        }
        Some((branch.target, true))
    }
}
