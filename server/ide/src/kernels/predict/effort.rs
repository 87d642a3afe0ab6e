//! Simulation budgets of launches. A budget counts warp instructions, not time, so the same launch has
//! the same figure on every machine.

use model::Launch;
use model::pipeline::Budget;

/// Warp instructions simulated per launch while the user waits in an editor.
const QUICK_EFFORT: u64 = 8_000; // limit: a few milliseconds

/// Warp instructions simulated per launch for the final figure of every view.
pub const FULL_EFFORT: u64 = 2_000_000; // limit: under a second

/// Warp instructions simulated per assumed launch for the final figure. The budget is small because the
/// grid or the block of the launch is a guess.
pub(crate) const ASSUMED_EFFORT: u64 = 100_000; // limit: a file may have hundreds

/// Budget for the figure that a view shows first.
pub(crate) const fn quick() -> Budget {
    Budget::new(QUICK_EFFORT)
}

/// Budget for the final figure of a launch. It is the same in all views and commands.
pub(crate) const fn full(launch: &Launch) -> Budget {
    Budget::new(if launch.assumed { ASSUMED_EFFORT } else { FULL_EFFORT })
}
