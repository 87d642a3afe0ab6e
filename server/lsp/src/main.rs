//! `warplens`: the language server and the command line over the engine of the crate `ide`.

mod cli;
mod server;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
