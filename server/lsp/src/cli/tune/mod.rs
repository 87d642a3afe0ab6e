//! `warplens tune`: the best parameters of kernels for the shapes that they serve.

mod cores;

mod csv;
mod kernel;
mod text;

mod gemm;

mod collect;
mod train;
mod verify;

use super::args::TuneCommand;
use super::failure::Failure;
use std::process::ExitCode;

pub(super) fn run(command: &TuneCommand) -> Result<ExitCode, Failure> {
    match command {
        TuneCommand::Kernel(args) => kernel::run(args),
        TuneCommand::Gemm(args) => gemm::run(args).map(|()| ExitCode::SUCCESS),
        TuneCommand::Collect(args) => collect::run(args).map(|()| ExitCode::SUCCESS),
        TuneCommand::Verify(args) => verify::run(args),
        TuneCommand::Train(args) => train::run(args).map(|()| ExitCode::SUCCESS),
    }
}
