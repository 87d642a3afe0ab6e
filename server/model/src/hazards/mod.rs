//! What the hardware does not check: whether a register is touched too early, and which scoreboards order what.

mod need;
mod touch;
mod walk;

pub use need::{Need, Needs, Order};

use crate::{Program, Register};

/// Two instructions that touch a register, the first not known to be over when the second issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    pub first: u32,
    pub second: u32,
    pub register: Register,
    pub order: Order,
    /// The second reads the register as its guard.
    pub is_guard: bool,
    /// From issue to issue, least over the ways between them, by stall counts alone.
    pub cycles: u32,
    /// Scoreboards that the first sets and that nothing has waited for on some way: one bit each.
    pub scoreboards: u8,
}

/// Shows every such pair of a program. Writes of a fixed latency count for `window` cycles.
pub fn pairs(program: &Program, window: u32, take: impl FnMut(Pair)) {
    walk::walk(program, window, take);
}
