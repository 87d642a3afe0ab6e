//! Arguments of `warplens schedule`.

use crate::cli::shared_args::TargetArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct ScheduleArgs {
    /// A SASS listing with encodings, an assembler source, or a cubin; `-` reads standard input
    pub(in crate::cli) file: PathBuf,

    /// Only this function: its mangled or demangled name, or a unique prefix of one
    #[arg(long, short, value_name = "NAME")]
    pub(in crate::cli) function: Option<String>,

    /// Also reorder instructions within their basic blocks if that is predicted to be faster
    #[arg(long)]
    pub(in crate::cli) reorder: bool,

    /// Rename registers to avoid bank conflicts
    #[arg(long)]
    pub(in crate::cli) rename: bool,

    /// Write the file even if some kernels get no new codes: those keep the codes that they have
    #[arg(long)]
    pub(in crate::cli) keep_refused: bool,

    /// Write here instead of standard output; for a cubin, a cubin with the new code
    #[arg(long, short, value_name = "OUT")]
    pub(in crate::cli) output: Option<PathBuf>,

    /// For a cubin: the nvdisasm or cuobjdump to run, or its folder. Default: the one on PATH
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) disassembler: Option<PathBuf>,

    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,
}
