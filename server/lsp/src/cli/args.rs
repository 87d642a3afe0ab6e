//! Arguments that the command line accepts. The pages that `--help` adds to the flags stand in `help/`.

use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use ide::cycles::RangeText;
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
    /// The top-down tree of launches that were profiled, or the profile of a program
    #[command(after_long_help = include_str!("help/profile.txt"))]
    Profile(ProfileArgs),
    /// Measure this computer's GPU, with its nvcc, and write an overlay with the figures
    #[command(after_long_help = include_str!("help/calibrate.txt"))]
    Calibrate(CalibrateArgs),
}

#[derive(Debug, Args)]
pub(super) struct AnalyzeArgs {
    /// A SASS listing or source, PTX, CUDA, or a cubin; `-` reads standard input
    pub(super) file: PathBuf,

    /// For a cubin: the nvdisasm or cuobjdump to run, or the folder that has it. Default: the one on PATH
    #[arg(long, value_name = "PATH")]
    pub(super) disassembler: Option<PathBuf>,

    #[command(flatten)]
    pub(super) compile: CompileArgs,

    /// Add what the lines of the sources cost that the code's line table names
    #[arg(long, conflicts_with = "summary")]
    pub(super) by_line: bool,

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

    /// Have ptxas compile PTX too, and report what it says under the code `ptxas`; have nvcc or clang compile CUDA, and look at its code
    #[arg(long)]
    pub(super) compile: bool,

    /// For --compile: the nvcc to run, or the folder that has it. Default: the one of CUDA_HOME, else the one on PATH
    #[arg(long, value_name = "PATH", requires = "compile")]
    pub(super) nvcc: Option<PathBuf>,

    /// For --compile: the clang to run on CUDA, or the folder that has it. Default: the one on PATH, where the build runs clang
    /// or there is no nvcc
    #[arg(long, value_name = "PATH", requires = "compile")]
    pub(super) clang: Option<PathBuf>,

    /// For --compile: the nvdisasm or cuobjdump to run, or the folder that has it. Default: the compiler's own, else the one on
    /// PATH
    #[arg(long, value_name = "PATH", requires = "compile")]
    pub(super) disassembler: Option<PathBuf>,

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

#[derive(Debug, Args)]
pub(super) struct CalibrateArgs {
    /// Where to write the overlay. Default: standard output
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Build in this folder, which must be new or empty, and leave everything there: sources, kernels, cycles
    #[arg(long, value_name = "FOLDER")]
    pub(super) keep: Option<PathBuf>,

    /// Measure nothing: count the least distances between instructions in these listings of compilers' code, or in all files
    /// of these folders. With `-o FOLDER` the tables are written as `FOLDER/sm_90/distances.csv`
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["keep", "list"])]
    pub(super) from_listings: Vec<PathBuf>,

    /// Only print the programs, what each measures and the figures computed from them
    #[arg(long, conflicts_with_all = ["output", "keep"])]
    pub(super) list: bool,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("region").required(true).args(["clock_regions", "range"])))]
pub(super) struct CyclesArgs {
    /// A SASS listing with control codes, PTX, or a cubin; with --compile CUDA; `-` reads standard input
    pub(super) file: PathBuf,

    #[command(flatten)]
    pub(super) compile: CompileArgs,

    /// From the first read of the SM's clock in each function to the second, from the third to the fourth, and so on
    #[arg(long)]
    pub(super) clock_regions: bool,

    /// From the issue of one instruction to that of another: addresses in hexadecimal, or labels; of PTX lines or labels
    #[arg(long, value_name = "A..B", value_parser = parse_range, allow_hyphen_values = true)]
    pub(super) range: Option<RangeText>,

    /// Only this function: its mangled or demangled name, or the start of one where no other function has it
    #[arg(long, short, value_name = "NAME")]
    pub(super) function: Option<String>,

    /// Warps on the SM, one or several numbers: `1,4,8`
    #[arg(long, short, value_name = "N", value_delimiter = ',', default_value = "1")]
    pub(super) warps: Vec<u32>,

    /// For a cubin: the nvdisasm or cuobjdump to run, or the folder that has it. Default: the one on PATH
    #[arg(long, value_name = "PATH")]
    pub(super) disassembler: Option<PathBuf>,

    #[command(flatten)]
    pub(super) target: TargetArgs,

    /// `text` for people, `csv` for programs
    #[arg(long, value_enum, default_value_t = CyclesFormat::Text, value_name = "FORMAT")]
    pub(super) format: CyclesFormat,

    #[command(flatten)]
    pub(super) color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CyclesFormat {
    Text,
    Csv,
}

fn parse_range(text: &str) -> Result<RangeText, String> {
    match text.split_once("..").map(|(from, to)| (from.trim(), to.trim())) {
        Some((from, to)) if !from.is_empty() && !to.is_empty() => {
            Ok(RangeText { text: text.trim().to_owned(), from: from.to_owned(), to: to.to_owned() })
        }
        _ => Err("expected two addresses in hexadecimal, or labels, as in 0x210..0x4a0".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(super) struct PredictArgs {
    /// A SASS listing, PTX, or a cubin; with --compile CUDA; `-` reads standard input
    pub(super) file: PathBuf,

    #[command(flatten)]
    pub(super) compile: CompileArgs,

    /// Only launches of this function: its mangled or demangled name, or the start of one where no other function has it
    #[arg(long, short, value_name = "NAME")]
    pub(super) function: Option<String>,

    /// For a cubin: the nvdisasm or cuobjdump to run, or the folder that has it. Default: the one on PATH
    #[arg(long, value_name = "PATH")]
    pub(super) disassembler: Option<PathBuf>,

    #[command(flatten)]
    pub(super) target: TargetArgs,

    /// Counts of the launches by instruction, from a profiler: a report of Nsight Compute or its source page as csv
    #[arg(long, value_name = "FILE")]
    pub(super) profile: Option<PathBuf>,

    /// `text` for people, `csv` and `json` for programs, `svg` for a picture: a roofline with a point for each launch
    #[arg(long, value_enum, default_value_t = PredictFormat::Text, value_name = "FORMAT")]
    pub(super) format: PredictFormat,

    #[command(flatten)]
    pub(super) color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PredictFormat {
    Text,
    Csv,
    Json,
    Svg,
}

#[derive(Debug, Args)]
pub(super) struct ProfileArgs {
    /// Reports of Nsight Compute (.ncu-rep), its pages as csv or text, or what nvprof printed; several are merged
    #[arg(value_name = "REPORT", required_unless_present = "run")]
    pub(super) reports: Vec<PathBuf>,

    /// Only launches of this kernel: its mangled or demangled name, or the start of one
    #[arg(long, short, value_name = "NAME")]
    pub(super) function: Option<String>,

    /// A source file whose lines are printed with their stalls, where the report knows lines
    #[arg(long, value_name = "FILE")]
    pub(super) source: Option<PathBuf>,

    /// An earlier profile of the same kernels: what changed since is printed in place of the tree, as text or json
    #[arg(long, value_name = "BEFORE", conflicts_with = "source")]
    pub(super) against: Option<PathBuf>,

    /// The GPU that was measured, where the report names none
    #[arg(long, value_name = "GPU")]
    pub(super) gpu: Option<String>,

    /// `text` for people, `json` for programs, `dot`, `svg` and `mermaid` for pictures of the tree
    #[arg(long, value_enum, default_value_t = ProfileFormat::Text, value_name = "FORMAT")]
    pub(super) format: ProfileFormat,

    /// Run the program behind `--` under ncu, with the metrics that the tree needs
    #[arg(long, requires = "program", conflicts_with = "reports")]
    pub(super) run: bool,

    /// With --run: where the report is kept. Default: it is deleted
    #[arg(long, short, value_name = "FILE", requires = "run")]
    pub(super) output: Option<PathBuf>,

    /// With --run: the ncu to run, or the folder that has it. Default: the one on PATH
    #[arg(long, value_name = "PATH", requires = "run")]
    pub(super) ncu: Option<PathBuf>,

    /// With --run: seconds after which ncu is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 600, requires = "run")]
    pub(super) timeout: u64,

    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM", requires = "run")]
    pub(super) program: Vec<std::ffi::OsString>,

    #[command(flatten)]
    pub(super) color: ColorArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ProfileFormat {
    Text,
    Json,
    Dot,
    Svg,
    Mermaid,
}

#[derive(Debug, Args)]
pub(super) struct ScheduleArgs {
    /// A SASS listing with encodings, a source for an assembler, or a cubin; `-` reads standard input
    pub(super) file: PathBuf,

    /// Only this function: its mangled or demangled name, or the start of one where no other function has it
    #[arg(long, short, value_name = "NAME")]
    pub(super) function: Option<String>,

    /// Move instructions within their blocks too, where that is predicted to be quicker
    #[arg(long)]
    pub(super) reorder: bool,

    /// Give values other registers where fewer then meet in one bank
    #[arg(long)]
    pub(super) rename: bool,

    /// Write here and not to standard output; of a cubin, a cubin with the new code
    #[arg(long, short, value_name = "OUT")]
    pub(super) output: Option<PathBuf>,

    /// For a cubin: the nvdisasm or cuobjdump to run, or the folder that has it. Default: the one on PATH
    #[arg(long, value_name = "PATH")]
    pub(super) disassembler: Option<PathBuf>,

    #[command(flatten)]
    pub(super) target: TargetArgs,
}

/// Compilers for a source whose code is asked about.
#[derive(Debug, Clone, Args)]
pub(super) struct CompileArgs {
    /// Have nvcc or clang compile CUDA, or ptxas PTX, and look at the code that comes of it
    #[arg(long)]
    pub(super) compile: bool,

    /// For --compile: the nvcc to run, or the folder that has it. Default: the one of CUDA_HOME, else the one on PATH
    #[arg(long, value_name = "PATH", requires = "compile")]
    pub(super) nvcc: Option<PathBuf>,

    /// For --compile: the clang to run on CUDA, or the folder that has it. Default: the one on PATH, where the build runs clang
    /// or there is no nvcc
    #[arg(long, value_name = "PATH", requires = "compile")]
    pub(super) clang: Option<PathBuf>,

    /// For --compile: the ptxas to run, or the folder that has it. Default: the one of CUDA_HOME, else the one on PATH
    #[arg(long, value_name = "PATH", requires = "compile")]
    pub(super) ptxas: Option<PathBuf>,
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
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(super) color: ColorChoice,
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
