//! Compiles sources to SASS listings, for the command line and for the server.

mod commands;
pub(crate) mod headers;
pub(crate) mod includers;
mod unit;

pub(crate) use unit::{Code, CompileRequest, NoCode, compile, ptx};
