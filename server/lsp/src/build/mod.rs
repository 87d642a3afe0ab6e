//! Compiles sources to SASS listings, for the command line and for the server.

mod commands;
mod header_store;
mod headers;
mod includers;
mod unit;

pub(crate) use header_store::{HeaderStore, KnownSearches};
pub(crate) use unit::{Code, CompileRequest, NoCode, compile, ptx};
