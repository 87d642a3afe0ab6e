//! Arguments of `warplens analyze`.

use crate::cli::shared_args::{ColorArg, CompileArgs, DisassemblerArg, FunctionArg, TargetArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(in crate::cli) struct AnalyzeArgs {
    /// A SASS listing or source, PTX, CUDA, or a cubin; `-` reads standard input
    pub(in crate::cli) file: PathBuf,

    #[command(flatten)]
    pub(in crate::cli) tool: DisassemblerArg,

    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,

    /// Add the cost of each source line in the code's line table
    #[arg(long, conflicts_with = "summary")]
    pub(in crate::cli) by_line: bool,

    #[command(flatten)]
    pub(in crate::cli) only: FunctionArg,

    /// Only instructions on these lines of the file, from 1: `120-180`, or a single line, `120`
    #[arg(long, short, value_name = "A-B", value_parser = LineRange::parse, allow_hyphen_values = true)]
    pub(in crate::cli) lines: Option<LineRange>,

    /// Print one line per kernel, without instructions. A terminal shows only as many kernels as fit the screen
    #[arg(long, short)]
    pub(in crate::cli) summary: bool,

    /// At the end, print the findings of `check` in these functions
    #[arg(long)]
    pub(in crate::cli) findings: bool,

    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,

    /// The model of issue cycles and stalls: `pipeline` simulates the control codes on a calibrated GPU, `paper` is the
    /// model of Zhou et al., ICS 2017. Default: `pipeline` if it applies, otherwise `paper`
    #[arg(long, value_enum, value_name = "MODEL")]
    pub(in crate::cli) model: Option<ModelName>,

    /// Skip predictions of launches: cycles, stalls, executed instructions, memory requests and
    /// advice. Much faster; instructions keep their issue cycles
    #[arg(long)]
    pub(in crate::cli) no_predict: bool,

    /// `text` for people, `json` for programs, `html` for a self-contained page to share
    #[arg(long, value_enum, default_value_t = AnalyzeFormat::Text, value_name = "FORMAT")]
    pub(in crate::cli) format: AnalyzeFormat,

    #[command(flatten)]
    pub(in crate::cli) color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ModelName {
    Paper,
    Pipeline,
}

impl From<ModelName> for ide::ModelChoice {
    fn from(name: ModelName) -> Self {
        match name {
            ModelName::Paper => Self::Paper,
            ModelName::Pipeline => Self::Pipeline,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum AnalyzeFormat {
    Text,
    Json,
    Html,
}

/// Lines of a file, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) struct LineRange {
    pub(in crate::cli) first: u32,
    pub(in crate::cli) last: u32,
}

impl LineRange {
    fn parse(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok(Self { first, last }),
            _ => Err("expected two line numbers from 1, the smaller first, for example 120-180".to_owned()),
        }
    }

    pub(in crate::cli) fn contains(self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::LineRange;

    #[test]
    fn line_ranges() {
        assert_eq!(LineRange::parse("3-9"), Ok(LineRange { first: 3, last: 9 }));
        assert_eq!(LineRange::parse("7"), Ok(LineRange { first: 7, last: 7 }));
        for wrong in ["", "-", "0-4", "9-3", "a-b", "3-", "-3", "1-99999999999"] {
            assert!(LineRange::parse(wrong).is_err(), "{wrong}");
        }
    }
}
