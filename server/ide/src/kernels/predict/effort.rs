//! The budget of a launch's simulation, in warp instructions rather than time, so that the same launch has the same
//! figure on every machine.

use model::Launch;
use model::pipeline::Budget;

/// Warp instructions simulated per launch while the user waits in an editor: some milliseconds.
const QUICK_EFFORT: u64 = 8_000; // limit: some milliseconds

/// Warp instructions simulated per launch for the final figure of every view: under a second.
pub const FULL_EFFORT: u64 = 2_000_000; // limit: under a second

/// Warp instructions simulated per assumed launch: it is a guess, and a file may have hundreds of them.
pub(crate) const ASSUMED_EFFORT: u64 = 100_000; // limit: a file may have hundreds

/// The budget for the figure that a view shows first, until the full one is known.
pub(crate) const fn quick() -> Budget {
    Budget::new(QUICK_EFFORT)
}

/// The budget for a launch's final figure, the same for all views and commands.
pub(crate) const fn full(launch: &Launch) -> Budget {
    Budget::new(if launch.assumed { ASSUMED_EFFORT } else { FULL_EFFORT })
}
