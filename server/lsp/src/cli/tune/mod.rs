//! `warplens tune`: the best parameters of kernels for the shapes that they serve.

pub(super) mod args;
mod cores;

mod csv;
mod kernel;
mod text;

mod printed_family;
mod search;

mod conv;
mod gemm;

#[cfg(feature = "training")]
mod collect;
#[cfg(feature = "training")]
mod compare;
#[cfg(feature = "training")]
mod train;
#[cfg(feature = "training")]
mod verify;

use super::failure::Failure;
use args::TuneCommand;
use std::process::ExitCode;

pub(super) fn run(command: &TuneCommand) -> Result<ExitCode, Failure> {
    match command {
        TuneCommand::Kernel(args) => kernel::run(args),
        TuneCommand::Gemm(args) => gemm::run(args).map(|()| ExitCode::SUCCESS),
        TuneCommand::Conv(args) => conv::run(args).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "training")]
        TuneCommand::Collect(args) => collect::run(args).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "training")]
        TuneCommand::Compare(args) => compare::run(args).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "training")]
        TuneCommand::Verify(args) => verify::run(args),
        #[cfg(feature = "training")]
        TuneCommand::Train(args) => train::run(args).map(|()| ExitCode::SUCCESS),
    }
}
