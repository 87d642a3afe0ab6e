//! Compiles sources to SASS listings, for the command line and for the server.

mod commands;
mod unit;

pub(crate) use unit::{Code, CompileRequest, NoCode, compile, ptx};
