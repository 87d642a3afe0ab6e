//! Sources compiled to listings of SASS, for the command line and for the server.

mod commands;
mod unit;

pub(crate) use unit::{Code, NoCode, Order, compile, ptx};
