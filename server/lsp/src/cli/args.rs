//! The subcommands; the arguments of each are in the module next to it. The texts that `--help` adds to the flags are
//! in `help/`.

use super::analyze::args::AnalyzeArgs;
use super::check::args::CheckArgs;
use super::cycles::args::CyclesArgs;
use super::diff::args::DiffArgs;
use super::predict::args::PredictArgs;
use super::profile::args::ProfileArgs;
use super::rule::args::RuleArgs;
use super::schedule::args::ScheduleArgs;
use super::shared_args::{CompileArgs, TargetArgs};
use clap::{Args, Parser, Subcommand, ValueEnum};
use lab::tune::Element;
use std::path::PathBuf;

/// Shows where the cycles of a GPU kernel go, from its SASS, PTX or CUDA source.
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
        /// Has no effect: stdin and stdout are the only transport. Accepted because editors pass it
        #[arg(long, hide = true)]
        stdio: bool,

        /// Append a log to this file: every message with its time, warnings and errors
        #[arg(long, value_name = "FILE")]
        log_file: Option<PathBuf>,
    },
    /// Print a listing with the latency, predicted issue cycle and control code of each instruction
    #[command(after_long_help = include_str!("help/analyze.txt"))]
    Analyze(AnalyzeArgs),
    /// Predict cycles between two instructions, for one or more warps, with a timeline
    #[command(after_long_help = include_str!("help/cycles.txt"))]
    Cycles(CyclesArgs),
    /// Predict the cycles of whole launches, what limits them, and their rates relative to the GPU's peaks
    #[command(after_long_help = include_str!("help/predict.txt"))]
    Predict(PredictArgs),
    /// Compare kernels in two versions of their code: registers, spills, occupancy, instructions, cycles
    #[command(after_long_help = include_str!("help/diff.txt"))]
    Diff(DiffArgs),
    /// Report defects: syntax errors, unknown opcodes, hazards, costly memory accesses
    #[command(after_long_help = include_str!("help/check.txt"))]
    Check(CheckArgs),
    /// Print the page of a rule: what it finds, why that matters, and examples. Without a code, list all rules
    #[command(after_long_help = include_str!("help/rule.txt"))]
    Rule(RuleArgs),
    /// Generate control codes: stall counts, scoreboards, waits, reuse; with --reorder also a faster order
    #[command(after_long_help = include_str!("help/schedule.txt"))]
    Schedule(ScheduleArgs),
    /// Show the top-down tree of profiled launches, or profile a program
    #[command(after_long_help = include_str!("help/profile.txt"))]
    Profile(ProfileArgs),
    /// Find the best parameters of a kernel, such as tile sizes, for each shape
    #[command(subcommand, after_long_help = include_str!("help/tune.txt"))]
    Tune(TuneCommand),
    /// Measure this machine's GPU, using nvcc, and write the figures to an overlay
    #[command(after_long_help = include_str!("help/calibrate.txt"))]
    Calibrate(CalibrateArgs),
    /// Print a completion script for a shell
    #[command(after_long_help = include_str!("help/completions.txt"))]
    Completions { shell: clap_complete::Shell },
    /// Print the manual page of warplens, or of one of its commands, for `man -l -`
    Man {
        /// The command, such as `analyze`
        command: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(super) struct CalibrateArgs {
    /// The file for the overlay. Default: standard output
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Build in this folder, which must be new or empty, and keep everything there: sources, kernels, cycles
    #[arg(long, value_name = "FOLDER")]
    pub(super) keep: Option<PathBuf>,

    /// Instead of measuring, find the smallest distances between instructions in these compiler listings, or in all
    /// files of these folders. With `-o FOLDER` the tables are written to `FOLDER/sm_90/distances.csv`
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["keep", "list"])]
    pub(super) from_listings: Vec<PathBuf>,

    /// Only list the programs, each with its measurements and the figures computed from them
    #[arg(long, conflicts_with_all = ["output", "keep"])]
    pub(super) list: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum TuneCommand {
    /// Predict the times of the variants of a kernel that warplens.toml tunes, and rank the variants
    #[command(after_long_help = include_str!("help/tune-kernel.txt"))]
    Kernel(TuneKernelArgs),
    /// Rank all kernels for a matrix multiplication of one shape, and write the best
    #[command(after_long_help = include_str!("help/tune-gemm.txt"))]
    Gemm(TuneGemmArgs),
    /// Rank all kernels for a convolution of one shape, and write the best
    #[command(after_long_help = include_str!("help/tune-conv.txt"))]
    Conv(TuneConvArgs),
    #[cfg(feature = "training")]
    /// Measure random kernels on this machine's GPU and add their times to a data file
    #[command(after_long_help = include_str!("help/tune-collect.txt"))]
    Collect(TuneCollectArgs),
    #[cfg(feature = "training")]
    /// Check on this machine's GPU that random kernels compute correct results
    Verify(TuneVerifyArgs),
    #[cfg(feature = "training")]
    /// Compare the chosen kernels of the paper's problems with many others, on this machine's GPU
    #[command(after_long_help = include_str!("help/tune-compare.txt"))]
    Compare(TuneCompareArgs),
    #[cfg(feature = "training")]
    /// Train a network on data files, for `tune gemm` and `tune conv`
    #[command(after_long_help = include_str!("help/tune-train.txt"))]
    Train(TuneTrainArgs),
}

#[derive(Debug, Args)]
pub(super) struct TuneGemmArgs {
    /// Rows of C
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) m: u32,

    /// Columns of C
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) n: u32,

    /// Products that are summed for each element of C
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) k: u32,

    /// The type of all elements: `f16`, `f32` or `f64`
    #[arg(long, value_name = "TYPE", default_value_t = Element::F32)]
    pub(super) dtype: Element,

    /// Whether A and B are transposed: `nn`, `nt`, `tn` or `tt`, in BLAS's column-major order
    #[arg(long, value_name = "LAYOUT", default_value = "nn", value_parser = Layout::parse)]
    pub(super) layout: Layout,

    #[command(flatten)]
    pub(super) search: TuneSearchArgs,
}

#[derive(Debug, Args)]
pub(super) struct TuneConvArgs {
    /// Images
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) n: u32,

    /// Channels
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) c: u32,

    /// Rows of an image
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) h: u32,

    /// Columns of an image
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) w: u32,

    /// Filters
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) k: u32,

    /// Rows of a filter
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) r: u32,

    /// Columns of a filter
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(super) s: u32,

    /// Rows and columns of zeros on each side of an image
    #[arg(long, value_name = "SIZE", default_value_t = 0)]
    pub(super) pad: u32,

    /// Rows and columns of the input from one pixel of the output to the next
    #[arg(long, value_name = "SIZE", default_value_t = 1, value_parser = size)]
    pub(super) stride: u32,

    /// The type of all elements: `f16`, `f32` or `f64`
    #[arg(long, value_name = "TYPE", default_value_t = Element::F32)]
    pub(super) dtype: Element,

    #[command(flatten)]
    pub(super) search: TuneSearchArgs,
}

/// Options for the ranking of a problem's kernels.
#[derive(Debug, Args)]
pub(super) struct TuneSearchArgs {
    /// The GPU: a model (`h100-sxm`, `4090`) or an architecture (`sm_90`); `list` prints all. Default: the GPU
    /// of --network, otherwise the GPU of warplens.toml, otherwise `h100-sxm`
    #[arg(long, short, value_name = "GPU")]
    pub(super) gpu: Option<String>,

    /// Maximum number of tilings to print
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) top: u32,

    /// A network that `tune train` wrote. Default: the built-in network for the GPU, if warplens has one
    #[arg(long, value_name = "FILE")]
    pub(super) network: Option<PathBuf>,

    /// Rank by the static model alone
    #[arg(long, conflicts_with = "network")]
    pub(super) r#static: bool,

    /// Measure the best tilings on this machine's GPU: the given number of tilings, or 100
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "100", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) measure: Option<u32>,

    /// With --measure: measure even if the cache has an earlier result
    #[arg(long, requires = "measure")]
    pub(super) again: bool,

    /// Write the best kernel to this file, as PTX with a comment that states its launch
    #[arg(long, value_name = "FILE")]
    pub(super) emit: Option<PathBuf>,

    /// `text` for people, `csv` for programs
    #[arg(long, value_enum, default_value_t = TuneSearchFormat::Text, value_name = "FORMAT")]
    pub(super) format: TuneSearchFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TuneSearchFormat {
    Text,
    Csv,
}

#[cfg(feature = "training")]
#[derive(Debug, Args)]
pub(super) struct TuneCollectArgs {
    /// The kernels: `gemm` or `conv`
    pub(super) problem: lab::tune::ProblemKind,

    /// The data file. If it exists, rows are added to it
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: PathBuf,

    /// Number of rows in the file after which measuring stops. Default: 100000, or no limit with --seconds
    #[arg(long, value_name = "COUNT")]
    pub(super) rows: Option<usize>,

    /// Stop measuring after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(super) seconds: Option<u64>,
}

#[cfg(feature = "training")]
#[derive(Debug, Args)]
pub(super) struct TuneVerifyArgs {
    /// The kernels: `gemm` or `conv`
    pub(super) problem: lab::tune::ProblemKind,

    /// Minimum number of kernel-shape pairs to check
    #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) pairs: u32,

    /// Seed of the random choice: the same seed checks the same pairs
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(super) seed: u64,
}

#[cfg(feature = "training")]
#[derive(Debug, Args)]
pub(super) struct TuneCompareArgs {
    /// The problems: `gemm` (Table 4) or `conv` (Table 5)
    pub(super) problem: lab::tune::ProblemKind,

    /// Number of best-ranked kernels to measure; the fastest of these is chosen
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) top: u32,

    /// Number of additional random kernels to measure
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    pub(super) random: u32,

    /// Seed of the random choice: the same seed draws the same kernels
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(super) seed: u64,

    /// Only problems with this element type
    #[arg(long, value_name = "TYPE")]
    pub(super) dtype: Option<Element>,

    /// A network that `tune train` wrote. Default: the built-in network for the GPU
    #[arg(long, value_name = "FILE")]
    pub(super) network: Option<PathBuf>,

    /// File with the times of libraries, as `server/lab/host/tune/libraries.py` prints them
    #[arg(long, value_name = "FILE")]
    pub(super) libraries: Option<PathBuf>,

    /// `text` for people, `csv` for programs
    #[arg(long, value_enum, default_value_t = TuneSearchFormat::Text, value_name = "FORMAT")]
    pub(super) format: TuneSearchFormat,
}

#[cfg(feature = "training")]
#[derive(Debug, Args)]
pub(super) struct TuneTrainArgs {
    /// The kernels: `gemm` or `conv`
    pub(super) problem: lab::tune::ProblemKind,

    /// Data files of one GPU that `tune collect` wrote, plain or gzip
    #[arg(value_name = "DATA", required = true)]
    pub(super) data: Vec<PathBuf>,

    /// The file for the network
    #[arg(long, short, value_name = "FILE", required_unless_present = "tables")]
    pub(super) output: Option<PathBuf>,

    /// Widths of the hidden layers. Default: 64,128,192,256,192,128,64
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = size)]
    pub(super) hidden: Vec<u32>,

    /// Maximum number of passes over the data
    #[arg(long, value_name = "COUNT", value_parser = size)]
    pub(super) epochs: Option<u32>,

    /// Instead of a network, print the error by network size and by number of samples
    #[arg(long, conflicts_with = "output")]
    pub(super) tables: bool,
}

#[derive(Debug, Args)]
pub(super) struct TuneKernelArgs {
    /// A CUDA source, or a Python file with Triton kernels
    pub(super) file: PathBuf,

    /// The kernel's name. Default: the file's tuned kernel, if there is only one
    #[arg(long, short, value_name = "NAME")]
    pub(super) kernel: Option<String>,

    /// A shape that replaces the shapes of warplens.toml: `M=2560,N=16,K=2560`; may be repeated
    #[arg(long, value_name = "SIZES")]
    pub(super) shape: Vec<String>,

    /// Maximum number of variants to compile or list per shape
    #[arg(long, value_name = "COUNT", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) variants: u32,

    #[command(flatten)]
    pub(super) compile: CompileArgs,

    /// For --compile: the nvdisasm or cuobjdump to run, or its folder. Default: from the compiler's toolkit, otherwise
    /// from PATH
    #[arg(long, value_name = "PATH")]
    pub(super) disassembler: Option<PathBuf>,

    #[command(flatten)]
    pub(super) target: TargetArgs,

    /// `text` for people, `csv` for programs, `svg` for a picture over all shapes
    #[arg(long, value_enum, default_value_t = TuneFormat::Text, value_name = "FORMAT")]
    pub(super) format: TuneFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TuneFormat {
    Text,
    Csv,
    Svg,
}

/// Whether A and B are transposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) a_transposed: bool,
    pub(super) b_transposed: bool,
}

impl Layout {
    fn parse(text: &str) -> Result<Self, String> {
        let (a_transposed, b_transposed) = match text {
            "nn" => (false, false),
            "nt" => (false, true),
            "tn" => (true, false),
            "tt" => (true, true),
            _ => return Err("expected nn, nt, tn or tt".to_owned()),
        };
        Ok(Self { a_transposed, b_transposed })
    }
}

fn size(text: &str) -> Result<u32, String> {
    let size = text.parse().ok().filter(|size| *size > 0);
    size.ok_or_else(|| format!("expected a whole number from 1 to {}", u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
