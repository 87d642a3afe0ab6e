//! Arguments of `warplens check`.

use crate::cli::shared_args::{AssemblerArg, ColorArg, CudaCompilerArgs, TargetArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct CheckArgs {
    /// Files (text or cubins), or folders to search for cubins and for SASS, PTX and CUDA files; `-` reads standard input
    #[arg(required = true, value_name = "PATH")]
    pub(in crate::cli) paths: Vec<PathBuf>,

    /// Only findings with these codes or groups, separated by commas
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub(in crate::cli) select: Vec<String>,

    /// Print the number of findings of each rule instead of the findings, as text or JSON
    #[arg(long)]
    pub(in crate::cli) statistics: bool,

    /// Exit with status 0 even if there are findings; after an error, the status is still 2
    #[arg(long)]
    pub(in crate::cli) exit_zero: bool,

    /// Write the findings to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(in crate::cli) output_file: Option<PathBuf>,

    /// Compile PTX with ptxas and report its messages under the code `ptxas`; compile CUDA with nvcc or clang and check its code
    #[arg(long)]
    pub(in crate::cli) compile: bool,

    #[command(flatten)]
    pub(in crate::cli) cuda: CudaCompilerArgs,

    /// For cubins and --compile: the nvdisasm or cuobjdump to run, or its folder. Default: from the compiler's toolkit,
    /// otherwise from PATH
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) disassembler: Option<PathBuf>,

    #[command(flatten)]
    pub(in crate::cli) assembler: AssemblerArg,

    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,

    /// `text` for people, `json` for programs, `sarif` for code scanning, `github` for workflow annotations
    #[arg(long, value_enum, default_value_t = CheckFormat::Text, value_name = "FORMAT")]
    pub(in crate::cli) format: CheckFormat,

    #[command(flatten)]
    pub(in crate::cli) color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum CheckFormat {
    Text,
    Json,
    Sarif,
    Github,
}
