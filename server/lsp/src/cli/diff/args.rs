//! Arguments of `warplens diff`.

use crate::cli::shared_args::{ColorArg, CompileArgs, DisassemblerArg, FunctionArg, TargetArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct DiffArgs {
    /// The old code: a SASS listing, PTX, or a cubin; with --compile CUDA
    pub(in crate::cli) base: PathBuf,

    /// The new code, in the same formats
    pub(in crate::cli) new: PathBuf,

    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,

    #[command(flatten)]
    pub(in crate::cli) only: FunctionArg,

    /// Exit with status 1 if cycles or spills of a kernel grew by more than this percentage
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(in crate::cli) fail_above: Option<f64>,

    #[command(flatten)]
    pub(in crate::cli) tool: DisassemblerArg,

    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,

    /// `text` for people, `json` for programs
    #[arg(long, value_enum, default_value_t = DiffFormat::Text, value_name = "FORMAT")]
    pub(in crate::cli) format: DiffFormat,

    #[command(flatten)]
    pub(in crate::cli) color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DiffFormat {
    Text,
    Json,
}

/// Parses a percentage: `5` or `2.5`, with or without the percent sign.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>().ok();
    number
        .filter(|percent| percent.is_finite() && *percent >= 0.0)
        .ok_or_else(|| "expected a number from 0, for example 5".to_owned())
}
