//! Register accesses in flight. Two walks track them: the hazard check, which reads control codes, and the scheduler,
//! which writes them.
//!
//! An access is an instruction's write or read of a register. The access is in flight until its [`Event`]:
//! the result is written, or the source has been read. Four mechanisms end an access: elapsed cycles
//! ([`WINDOW`]), a wait for the scoreboard that counts the access ([`Scoreboards`]), the end of a later
//! access in the same queue ([`share_line`]), or another write of the register ([`ByRegister`]). Accesses in
//! flight at the end of a block are in flight at the start of its successors ([`follow`]).

mod by_register;
mod event;
mod line;
mod propagation;
mod scoreboards;

pub(crate) use by_register::ByRegister;
pub(crate) use event::Event;
pub(crate) use line::{line, share_line};
pub(crate) use propagation::{InFlight, Walker, follow};
pub(crate) use scoreboards::{SCOREBOARDS, Scoreboards, named};

/// Number of cycles after which a result is no longer in flight, unless a scoreboard counts it.
pub const WINDOW: u32 = 64; // limit: longer than any fixed latency in the data
