//! `warplens tune`: the best parameters of kernels for the shapes that they serve.

mod csv;
mod kernel;
mod text;

use super::args::TuneCommand;
use super::failure::Failure;
use std::process::ExitCode;

pub(super) fn run(command: &TuneCommand) -> Result<ExitCode, Failure> {
    match command {
        TuneCommand::Kernel(args) => kernel::run(args),
    }
}
