//! Hazards that the hardware does not check: registers that are accessed too early, and accesses without a scoreboard.

mod check;
mod elapsed;
mod implied;
mod in_flight_access;
mod key;
mod need;
mod observed;
mod pair;
mod walk;

pub use crate::in_flight::WINDOW;
pub use check::{CheckResult, Hazard, MissingOrder, check, check_in};
pub use elapsed::Time;
pub use need::{Need, Needs};
pub use observed::{MinCycles, ObservedDistances, WaitDependentPair};
pub use pair::{Order, Pair};

use crate::Program;

/// Passes each pair of dependent instructions in a program to `take`. The cycles between the two instructions
/// are by stall counts only. A fixed-latency write counts as in flight for [`WINDOW`] cycles.
pub fn pairs(program: &Program, take: impl FnMut(Pair)) {
    walk::walk(program, Time::Stalls, take);
}
