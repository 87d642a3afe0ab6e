//! Hazards that the hardware does not check: registers that are touched too early, and which scoreboards order what.

mod check;
mod elapsed;
mod implied;
mod key;
mod need;
mod observed;
mod touch;
mod walk;

pub(crate) use check::ASYNCHRONOUS;
pub use check::{Checked, Hazard, Lack, check, check_in};
pub use elapsed::Time;
pub use need::{Need, Needs, Order};
pub use observed::{Leaning, Least, Observed};

use crate::{Program, Register};

/// Two instructions that touch a register, the first not known to be over when the second issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    pub first: u32,
    pub second: u32,
    pub register: Register,
    pub order: Order,
    /// The register is the last of those that the first's operand names: the high half of a 64-bit result, or all of it.
    pub is_last: bool,
    /// The operand of the second that names the register; `None` for its guard and what its opcode implies.
    pub operand: Option<u8>,
    /// From issue to issue, least over the ways between them: what has passed for certain.
    pub cycles: u32,
    /// Instructions behind the first up to the second that wait for scoreboards, on the way with the fewest.
    pub waits: u32,
    /// Scoreboards that the first sets and that nothing has waited for on some way: one bit each.
    pub scoreboards: u8,
}

/// Shows every such pair of a program, with the cycles between them by stall counts alone. Writes of a fixed latency count
/// for `window` cycles.
pub fn pairs(program: &Program, window: u32, take: impl FnMut(Pair)) {
    walk::walk(program, window, Time::Stalls, take);
}
