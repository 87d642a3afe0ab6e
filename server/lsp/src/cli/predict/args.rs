//! Arguments of `warplens predict`.

use crate::cli::shared_args::{ColorArg, CompileArgs, DisassemblerArg, TargetArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct PredictArgs {
    /// SASS listings, PTX, or cubins; with --compile CUDA; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(in crate::cli) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,

    /// Only launches of this function, by its mangled or demangled name or a unique prefix of the name
    #[arg(long, short, value_name = "NAME")]
    pub(in crate::cli) function: Option<String>,

    #[command(flatten)]
    pub(in crate::cli) tool: DisassemblerArg,

    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,

    /// Profiled counts per instruction: an Nsight Compute report, or its source page as CSV
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) profile: Option<PathBuf>,

    /// `text` for people, `csv` and `json` for programs, `svg` for a roofline with one point per launch
    #[arg(long, value_enum, default_value_t = PredictFormat::Text, value_name = "FORMAT")]
    pub(in crate::cli) format: PredictFormat,

    #[command(flatten)]
    pub(in crate::cli) color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum PredictFormat {
    Text,
    Csv,
    Json,
    Svg,
}
