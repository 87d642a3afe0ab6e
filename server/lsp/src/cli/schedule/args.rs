//! Arguments of `warplens schedule`.

use crate::cli::shared_args::{DisassemblerArg, FunctionArg, TargetArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct ScheduleArgs {
    /// A SASS listing with encodings, an assembler source, or a cubin; `-` reads standard input
    pub(in crate::cli) file: PathBuf,

    #[command(flatten)]
    pub(in crate::cli) only: FunctionArg,

    /// Also reorder instructions within their basic blocks if the new order is predicted to be faster
    #[arg(long)]
    pub(in crate::cli) reorder: bool,

    /// Rename registers to avoid bank conflicts
    #[arg(long)]
    pub(in crate::cli) rename: bool,

    /// Write the file even if some kernels get no new codes. These kernels keep their old codes
    #[arg(long)]
    pub(in crate::cli) keep_refused: bool,

    /// Write to this file instead of standard output. For a cubin, the file is a cubin with the new code
    #[arg(long, short, value_name = "OUT")]
    pub(in crate::cli) output: Option<PathBuf>,

    #[command(flatten)]
    pub(in crate::cli) tool: DisassemblerArg,

    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,
}
