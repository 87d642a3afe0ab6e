//! Arguments of `warplens profile`.

use crate::cli::shared_args::ColorArg;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct ProfileArgs {
    /// Nsight Compute reports (.ncu-rep), their pages as CSV or text, or nvprof output; several are merged
    #[arg(value_name = "REPORT", required_unless_present = "run")]
    pub(in crate::cli) reports: Vec<PathBuf>,

    /// Only launches of this kernel, by its mangled or demangled name or a prefix of the name
    #[arg(long, short, value_name = "NAME")]
    pub(in crate::cli) function: Option<String>,

    /// Print this source file's lines with their stalls, if the report has line information
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) source: Option<PathBuf>,

    /// An earlier profile of the same kernels: print the changes instead of the tree, as text or JSON
    #[arg(long, value_name = "BEFORE", conflicts_with = "source")]
    pub(in crate::cli) against: Option<PathBuf>,

    /// The measured GPU, if the report does not name it
    #[arg(long, value_name = "GPU")]
    pub(in crate::cli) gpu: Option<String>,

    /// `text` for people, `json` for programs, `dot`, `svg` and `mermaid` for pictures of the tree
    #[arg(long, value_enum, default_value_t = ProfileFormat::Text, value_name = "FORMAT")]
    pub(in crate::cli) format: ProfileFormat,

    /// Run the program after `--` under ncu, with the metrics that the tree needs
    #[arg(long, requires = "program", conflicts_with = "reports")]
    pub(in crate::cli) run: bool,

    /// With --run: the file in which to keep the report. By default, the report is deleted
    #[arg(long, short, value_name = "FILE", requires = "run")]
    pub(in crate::cli) output: Option<PathBuf>,

    /// With --run: the ncu to run, or its folder. Default: ncu on PATH
    #[arg(long, value_name = "PATH", requires = "run")]
    pub(in crate::cli) ncu: Option<PathBuf>,

    /// With --run: seconds after which ncu is stopped, at most 604800 (a week)
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=604_800), requires = "run")]
    pub(in crate::cli) timeout: u64,

    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM", requires = "run")]
    pub(in crate::cli) program: Vec<std::ffi::OsString>,

    #[command(flatten)]
    pub(in crate::cli) color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ProfileFormat {
    Text,
    Json,
    Dot,
    Svg,
    Mermaid,
}
