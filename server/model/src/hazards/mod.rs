//! What the hardware does not check: whether a register is touched too early, and which scoreboards order what.

mod need;

pub use need::{Need, Needs, Order};
