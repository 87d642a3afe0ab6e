//! Touches of registers that are in flight, for the two walks over them: the hazard check, which reads control codes,
//! and the scheduler, which writes them.
//!
//! A touch is an instruction's write or read of a register, in flight until its [`Event`]: the result is written, or
//! the source has been read. Four things end it, each with one definition here: cycles ([`WINDOW`]), a wait for the
//! scoreboard that counts it ([`Scoreboards`]), the end of a later touch in the same queue ([`share_line`]), another
//! write of the register ([`ByRegister`]). What is in flight at the end of a block is in flight at the start of its
//! successors ([`follow`]).

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

/// Cycles beyond which no result is in flight that no scoreboard orders.
pub const WINDOW: u32 = 64;
