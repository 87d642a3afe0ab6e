//! Hazards that the hardware does not check: registers that are touched too early, and which scoreboards order what.

mod check;
mod elapsed;
mod implied;
mod key;
mod need;
mod observed;
mod pair;
mod touch;
mod walk;

pub use crate::in_flight::WINDOW;
pub use check::{Checked, Hazard, Lack, check, check_in};
pub use elapsed::Time;
pub use need::{Need, Needs};
pub use observed::{Leaning, Least, Observed};
pub use pair::{Order, Pair};

use crate::Program;

/// Shows every such pair of a program, with the cycles between them by stall counts alone. Writes of a fixed latency count
/// for [`WINDOW`] cycles.
pub fn pairs(program: &Program, take: impl FnMut(Pair)) {
    walk::walk(program, Time::Stalls, take);
}
