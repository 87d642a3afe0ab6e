//! Arguments of `warplens cycles`.

use crate::cli::shared_args::{ColorArg, CompileArgs, DisassemblerArg, FunctionArg, TargetArgs};
use clap::{Args, ValueEnum};
use ide::cycles::RangeText;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("region").required(true).args(["clock_regions", "range"])))]
pub(in crate::cli) struct CyclesArgs {
    /// A SASS listing with control codes, PTX, or a cubin; with --compile CUDA; `-` reads standard input
    pub(in crate::cli) file: PathBuf,

    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,

    /// Time the code between pairs of clock reads in each function: first to second, third to fourth, and so on
    #[arg(long)]
    pub(in crate::cli) clock_regions: bool,

    /// Time the code from the issue of one instruction to the issue of another, as hexadecimal addresses or labels; for PTX,
    /// as lines or labels
    #[arg(long, value_name = "A..B", value_parser = parse_range, allow_hyphen_values = true)]
    pub(in crate::cli) range: Option<RangeText>,

    #[command(flatten)]
    pub(in crate::cli) only: FunctionArg,

    /// Numbers of warps on the SM, each timed separately: `1,4,8`
    #[arg(long, short, value_name = "N", value_delimiter = ',', default_value = "1")]
    pub(in crate::cli) warps: Vec<u32>,

    #[command(flatten)]
    pub(in crate::cli) tool: DisassemblerArg,

    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,

    /// `text` for people, `csv` for programs
    #[arg(long, value_enum, default_value_t = CyclesFormat::Text, value_name = "FORMAT")]
    pub(in crate::cli) format: CyclesFormat,

    #[command(flatten)]
    pub(in crate::cli) color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum CyclesFormat {
    Text,
    Csv,
}

fn parse_range(text: &str) -> Result<RangeText, String> {
    match text.split_once("..").map(|(from, to)| (from.trim(), to.trim())) {
        Some((from, to)) if !from.is_empty() && !to.is_empty() => {
            Ok(RangeText { text: text.trim().to_owned(), from: from.to_owned(), to: to.to_owned() })
        }
        _ => Err("expected two hexadecimal addresses or labels, for example 0x210..0x4a0".to_owned()),
    }
}
