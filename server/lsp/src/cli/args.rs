//! Arguments that the command line accepts. The pages that `--help` adds to the flags stand in `help/`.

use super::calibrate::CalibrateArgs;
use super::cycles::CyclesArgs;
use super::predict::PredictArgs;
use super::schedule::ScheduleArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Says where the cycles of a GPU kernel go, from its SASS or PTX.
#[derive(Debug, Parser)]
#[command(name = "warplens", version, args_conflicts_with_subcommands = true)]
#[command(after_long_help = include_str!("help/warplens.txt"))]
pub(super) struct Cli {
    /// Start the language server on stdin and stdout, as `warplens lsp` does
    #[arg(long)]
    pub(super) stdio: bool,

    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Start the language server on stdin and stdout
    #[command(after_long_help = include_str!("help/lsp.txt"))]
    Lsp {
        /// Accepted because editors pass it; there is no other transport
        #[arg(long, hide = true)]
        stdio: bool,

        /// Append what the server does to this file: every message with its time, warnings and errors
        #[arg(long, value_name = "FILE")]
        log_file: Option<PathBuf>,
    },
    /// Print a listing with latency, predicted issue cycle and control code beside each instruction
    #[command(after_long_help = include_str!("help/analyze.txt"))]
    Analyze(AnalyzeArgs),
    /// Cycles from one instruction to another, for one warp or several, with the timeline of one
    #[command(after_long_help = include_str!("help/cycles.txt"))]
    Cycles(CyclesArgs),
    /// Cycles of whole launches, what limits them, and what the GPU could do
    #[command(after_long_help = include_str!("help/predict.txt"))]
    Predict(PredictArgs),
    /// Report defects: broken lines, unknown opcodes, hazards
    #[command(after_long_help = include_str!("help/check.txt"))]
    Check(CheckArgs),
    /// Write control codes from scratch: stall counts, scoreboards, waits, reuse; with --reorder, a quicker order too
    #[command(after_long_help = include_str!("help/schedule.txt"))]
    Schedule(ScheduleArgs),
    /// Measure this computer's GPU, with its nvcc, and write an overlay with the figures
    #[command(after_long_help = include_str!("help/calibrate.txt"))]
    Calibrate(CalibrateArgs),
}

#[derive(Debug, Args)]
pub(super) struct AnalyzeArgs {
    /// A SASS listing or source, PTX, or a cubin; `-` reads standard input
    pub(super) file: PathBuf,

    /// For a cubin: the nvdisasm or cuobjdump to run, or the folder that has it. Default: the one on PATH
    #[arg(long, value_name = "PATH")]
    pub(super) disassembler: Option<PathBuf>,

    /// Only this function: its mangled or demangled name, or the start of one where no other function has it
    #[arg(long, short, value_name = "NAME")]
    pub(super) function: Option<String>,

    /// Only instructions on these lines of the file, counted from 1: `120-180`, or one line, `120`
    #[arg(long, short, value_name = "A-B", value_parser = LineRange::parse, allow_hyphen_values = true)]
    pub(super) lines: Option<LineRange>,

    /// Only one line for each kernel, without instructions; as many as fit the screen, all of them in a pipe
    #[arg(long, short)]
    pub(super) summary: bool,

    #[command(flatten)]
    pub(super) target: TargetArgs,

    /// The model of issue cycles and stalls: `pipeline` simulates the control codes on a GPU that is calibrated, `paper` is
    /// the one of Zhou et al., ICS 2017. Default: `pipeline` where it applies, else `paper`
    #[arg(long, value_enum, value_name = "MODEL")]
    pub(super) model: Option<ModelName>,

    /// Leave out what is predicted of launches: their cycles and stalls, what their warps execute and ask of memory, and
    /// advice. Takes a fraction of the time; instructions keep their issue cycles
    #[arg(long)]
    pub(super) no_predict: bool,

    /// `text` for people, `json` for programs, `html` for one page to share, which needs no other file
    #[arg(long, value_enum, default_value_t = AnalyzeFormat::Text, value_name = "FORMAT")]
    pub(super) format: AnalyzeFormat,

    #[command(flatten)]
    pub(super) color: ColorArg,
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Files, or folders to search for SASS and PTX; `-` reads standard input
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    /// Only findings with these codes, or of these groups, separated by commas
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    pub(super) select: Vec<String>,

    /// Have ptxas compile PTX too, and report what it says under the code `ptxas`
    #[arg(long)]
    pub(super) compile: bool,

    /// For --compile: the ptxas to run, or the folder that has it. Default: the one of CUDA_HOME, else the one on PATH
    #[arg(long, value_name = "PATH", requires = "compile")]
    pub(super) ptxas: Option<PathBuf>,

    #[command(flatten)]
    pub(super) target: TargetArgs,

    /// `text` for people, `json` for programs, `sarif` for code scanning, `github` for annotations in a workflow
    #[arg(long, value_enum, default_value_t = CheckFormat::Text, value_name = "FORMAT")]
    pub(super) format: CheckFormat,

    #[command(flatten)]
    pub(super) color: ColorArg,
}

/// What numbers are for.
#[derive(Debug, Clone, Args)]
pub(super) struct TargetArgs {
    /// The GPU: a part (`h100-sxm`) or an architecture (`sm_90`). Default: what warplens.toml says, else the usual
    /// part of the architecture that the file names
    #[arg(long, short, value_name = "GPU")]
    pub(super) gpu: Option<String>,

    /// Launches of the kernels, written as in warplens.toml; they replace those of warplens.toml
    #[arg(long, value_name = "FILE")]
    pub(super) launches: Option<PathBuf>,

    /// Figures of a GPU that go before the built-in ones: a file that `warplens calibrate` wrote
    #[arg(long, value_name = "FILE")]
    pub(super) overlay: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Args)]
pub(super) struct ColorArg {
    /// When to colour text. `auto`: on a terminal, heeding NO_COLOR and CLICOLOR_FORCE
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(super) color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ModelName {
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
pub(super) enum AnalyzeFormat {
    Text,
    Json,
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CheckFormat {
    Text,
    Json,
    Sarif,
    Github,
}

/// Lines of a file, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRange {
    pub(super) first: u32,
    pub(super) last: u32,
}

impl LineRange {
    fn parse(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok(Self { first, last }),
            _ => Err("expected two line numbers from 1 on, the smaller first, as in 120-180".to_owned()),
        }
    }

    pub(super) fn contains(self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn line_ranges() {
        assert_eq!(LineRange::parse("3-9"), Ok(LineRange { first: 3, last: 9 }));
        assert_eq!(LineRange::parse("7"), Ok(LineRange { first: 7, last: 7 }));
        for wrong in ["", "-", "0-4", "9-3", "a-b", "3-", "-3", "1-99999999999"] {
            assert!(LineRange::parse(wrong).is_err(), "{wrong}");
        }
    }
}
