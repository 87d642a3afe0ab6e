//! `warplens`: the language server and the command line over the engine of the crate `ide`.

mod build;
mod cli;
mod compared;
mod printable;
mod read;
mod server;
mod svg;
mod tree;
mod tune_plot;

use std::process::ExitCode;

/// Returns freed memory to the system while the program is idle; the C library keeps it in per-thread arenas.
#[cfg(all(unix, not(target_os = "openbsd")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // A process of ours that watches over one of the vendor's tools does nothing else.
    toolchain::supervise_if_asked().unwrap_or_else(|| ide::with_stack(cli::main))
}
