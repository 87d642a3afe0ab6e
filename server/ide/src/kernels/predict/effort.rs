//! The amount of a launch that is simulated, in warp instructions: counted, not timed, so that the same launch has the same figure on every
//! machine.

use model::Launch;
use model::pipeline::Budget;

/// Warp instructions that are simulated of a launch while the user waits in an editor: some milliseconds.
const QUICK_EFFORT: u64 = 8_000; // limit: some milliseconds

/// The same for the figure that every view shows in the end: under a second.
pub const FULL_EFFORT: u64 = 2_000_000; // limit: under a second

/// The same for an assumed launch: it is a guess, and a file may have hundreds of them.
pub(crate) const ASSUMED_EFFORT: u64 = 100_000; // limit: a file may have hundreds

/// The budget of the figure that a view shows at once, until the full one is known.
pub(crate) const fn quick() -> Budget {
    Budget::new(QUICK_EFFORT)
}

/// The budget of a launch's one figure, whichever view or command shows it.
pub(crate) const fn full(launch: &Launch) -> Budget {
    Budget::new(if launch.assumed { ASSUMED_EFFORT } else { FULL_EFFORT })
}
