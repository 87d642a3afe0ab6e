//! `warplens tune`: the best parameters of kernels for the shapes that they serve.

mod cores;

mod csv;
mod kernel;
mod text;

mod search;
mod shown;

mod conv;
mod gemm;

mod collect;
mod compare;
mod train;
mod verify;

use super::args::TuneCommand;
use super::failure::Failure;
use std::process::ExitCode;

pub(super) fn run(command: &TuneCommand) -> Result<ExitCode, Failure> {
    match command {
        TuneCommand::Kernel(args) => kernel::run(args),
        TuneCommand::Gemm(args) => gemm::run(args).map(|()| ExitCode::SUCCESS),
        TuneCommand::Conv(args) => conv::run(args).map(|()| ExitCode::SUCCESS),
        TuneCommand::Collect(args) => collect::run(args).map(|()| ExitCode::SUCCESS),
        TuneCommand::Compare(args) => compare::run(args).map(|()| ExitCode::SUCCESS),
        TuneCommand::Verify(args) => verify::run(args),
        TuneCommand::Train(args) => train::run(args).map(|()| ExitCode::SUCCESS),
    }
}
