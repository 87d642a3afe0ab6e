//! Accesses of registers in flight, for the two walks over them: the hazard check, which reads control codes, and the
//! scheduler, which writes them.
//!
//! An access is an instruction's write or read of a register, in flight until its [`Event`]: the result is written, or
//! the source has been read. It ends in one of four ways, each defined once here: after some cycles ([`WINDOW`]), by a
//! wait for the scoreboard that counts it ([`Scoreboards`]), with a later access in the same queue ([`share_line`]), or
//! by another write of the register ([`ByRegister`]). Accesses in flight at the end of a block are in flight at the
//! start of its successors ([`follow`]).

mod by_register;
mod event;
mod line;
mod scoreboards;
mod ways;

pub(crate) use by_register::ByRegister;
pub(crate) use event::Event;
pub(crate) use line::{line, share_line};
pub(crate) use scoreboards::{SCOREBOARDS, Scoreboards, named};
pub(crate) use ways::{InFlight, Walker, follow};

/// Cycles after which no result is in flight, except those that a scoreboard orders.
pub const WINDOW: u32 = 64; // limit: longer than any fixed latency in the data
