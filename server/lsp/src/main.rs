//! `warplens`: the language server and the command line, built on the engine in the crate `ide`.

mod build;
mod cli;
mod compared;
mod data_files;
mod printable;
mod read;
mod server;
mod svg;
mod tree;
mod tune_plot;

use std::process::ExitCode;

/// Allocator that returns freed memory to the system while the program is idle. The allocator of the C
/// library keeps freed memory in per-thread arenas.
#[cfg(all(unix, not(target_os = "openbsd")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // A process that was started to supervise one of the vendor's tools does no other work.
    toolchain::supervise_if_asked().unwrap_or_else(|| ide::with_stack(cli::main))
}
