//! The subcommands of `warplens tune` and their arguments. The texts that `--help` adds to the flags are in `../help`.

use crate::cli::shared_args::{CompileArgs, TargetArgs};
use clap::{Args, Subcommand, ValueEnum};
use lab::tune::Element;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum TuneCommand {
    /// Predict the times of the variants of a kernel that warplens.toml tunes, and rank the variants
    #[command(after_long_help = include_str!("../help/tune-kernel.txt"))]
    Kernel(TuneKernelArgs),
    /// Rank all kernels for a matrix multiplication of one shape, and write the best
    #[command(after_long_help = include_str!("../help/tune-gemm.txt"))]
    Gemm(TuneGemmArgs),
    /// Rank all kernels for a convolution of one shape, and write the best
    #[command(after_long_help = include_str!("../help/tune-conv.txt"))]
    Conv(TuneConvArgs),
    #[cfg(feature = "training")]
    /// Measure random kernels on this machine's GPU and add their times to a data file
    #[command(after_long_help = include_str!("../help/tune-collect.txt"))]
    Collect(TuneCollectArgs),
    #[cfg(feature = "training")]
    /// Check on this machine's GPU that random kernels compute correct results
    Verify(TuneVerifyArgs),
    #[cfg(feature = "training")]
    /// Compare the chosen kernels of the paper's problems with many others, on this machine's GPU
    #[command(after_long_help = include_str!("../help/tune-compare.txt"))]
    Compare(TuneCompareArgs),
    #[cfg(feature = "training")]
    /// Train a network on data files, for `tune gemm` and `tune conv`
    #[command(after_long_help = include_str!("../help/tune-train.txt"))]
    Train(TuneTrainArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TuneGemmArgs {
    /// Number of rows of C
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) m: u32,

    /// Number of columns of C
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) n: u32,

    /// Number of products that are summed for each element of C
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) k: u32,

    /// The type of all elements: `f16`, `f32` or `f64`
    #[arg(long, value_name = "TYPE", default_value_t = Element::F32)]
    pub(crate) dtype: Element,

    /// Whether A and B are transposed: `nn`, `nt`, `tn` or `tt`, in BLAS's column-major order
    #[arg(long, value_name = "LAYOUT", default_value = "nn", value_parser = Layout::parse)]
    pub(crate) layout: Layout,

    #[command(flatten)]
    pub(crate) search: TuneSearchArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TuneConvArgs {
    /// Number of images
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) n: u32,

    /// Number of channels of an image
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) c: u32,

    /// Height of an image, in rows
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) h: u32,

    /// Width of an image, in columns
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) w: u32,

    /// Number of filters
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) k: u32,

    /// Height of a filter, in rows
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) r: u32,

    /// Width of a filter, in columns
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) s: u32,

    /// Padding: number of rows and columns of zeros on each side of an image
    #[arg(long, value_name = "SIZE", default_value_t = 0)]
    pub(crate) pad: u32,

    /// Stride: rows and columns of the input from one pixel of the output to the next
    #[arg(long, value_name = "SIZE", default_value_t = 1, value_parser = size)]
    pub(crate) stride: u32,

    /// The type of all elements: `f16`, `f32` or `f64`
    #[arg(long, value_name = "TYPE", default_value_t = Element::F32)]
    pub(crate) dtype: Element,

    #[command(flatten)]
    pub(crate) search: TuneSearchArgs,
}

/// Options for the ranking of a problem's kernels.
#[derive(Debug, Args)]
pub(crate) struct TuneSearchArgs {
    /// The GPU: a model (`h100-sxm`, `4090`) or an architecture (`sm_90`); `list` prints all. Default: the GPU
    /// of --network, otherwise the GPU of warplens.toml, otherwise `h100-sxm`
    #[arg(long, short, value_name = "GPU")]
    pub(crate) gpu: Option<String>,

    /// Maximum number of tilings to print
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: u32,

    /// A network that `tune train` wrote. Default: the built-in network for the GPU, if warplens has one
    #[arg(long, value_name = "FILE")]
    pub(crate) network: Option<PathBuf>,

    /// Rank by the static model alone
    #[arg(long, conflicts_with = "network")]
    pub(crate) r#static: bool,

    /// Measure the best tilings on this machine's GPU: the given number of tilings, or 100
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "100", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) measure: Option<u32>,

    /// With --measure: measure even if the cache has an earlier result
    #[arg(long, requires = "measure")]
    pub(crate) again: bool,

    /// Write the best kernel to this file, as PTX with a comment that states its launch
    #[arg(long, value_name = "FILE")]
    pub(crate) emit: Option<PathBuf>,

    /// `text` for people, `csv` for programs
    #[arg(long, value_enum, default_value_t = TuneSearchFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TuneSearchFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TuneSearchFormat {
    Text,
    Csv,
}

#[cfg(feature = "training")]
#[derive(Debug, Args)]
pub(crate) struct TuneCollectArgs {
    /// The kernels: `gemm` or `conv`
    pub(crate) problem: lab::tune::ProblemKind,

    /// The data file. If it exists, rows are added to it
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Number of rows in the file after which measuring stops. Default: 100000, or no limit with --seconds
    #[arg(long, value_name = "COUNT")]
    pub(crate) rows: Option<usize>,

    /// Stop measuring after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) seconds: Option<u64>,
}

#[cfg(feature = "training")]
#[derive(Debug, Args)]
pub(crate) struct TuneVerifyArgs {
    /// The kernels: `gemm` or `conv`
    pub(crate) problem: lab::tune::ProblemKind,

    /// Minimum number of kernel-shape pairs to check
    #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pairs: u32,

    /// Seed of the random choice: the same seed checks the same pairs
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[cfg(feature = "training")]
#[derive(Debug, Args)]
pub(crate) struct TuneCompareArgs {
    /// The problems: `gemm` (Table 4) or `conv` (Table 5)
    pub(crate) problem: lab::tune::ProblemKind,

    /// Number of best-ranked kernels to measure; the fastest of these is chosen
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: u32,

    /// Number of additional random kernels to measure
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    pub(crate) random: u32,

    /// Seed of the random choice: the same seed draws the same kernels
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Only problems with this element type
    #[arg(long, value_name = "TYPE")]
    pub(crate) dtype: Option<Element>,

    /// A network that `tune train` wrote. Default: the built-in network for the GPU
    #[arg(long, value_name = "FILE")]
    pub(crate) network: Option<PathBuf>,

    /// File with the times of libraries, as `server/lab/host/tune/libraries.py` prints them
    #[arg(long, value_name = "FILE")]
    pub(crate) libraries: Option<PathBuf>,

    /// `text` for people, `csv` for programs
    #[arg(long, value_enum, default_value_t = TuneSearchFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TuneSearchFormat,
}

#[cfg(feature = "training")]
#[derive(Debug, Args)]
pub(crate) struct TuneTrainArgs {
    /// The kernels: `gemm` or `conv`
    pub(crate) problem: lab::tune::ProblemKind,

    /// Data files of one GPU that `tune collect` wrote, plain or gzip
    #[arg(value_name = "DATA", required = true)]
    pub(crate) data: Vec<PathBuf>,

    /// The file for the network
    #[arg(long, short, value_name = "FILE", required_unless_present = "tables")]
    pub(crate) output: Option<PathBuf>,

    /// Widths of the hidden layers. Default: 64,128,192,256,192,128,64
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = size)]
    pub(crate) hidden: Vec<u32>,

    /// Maximum number of passes over the data
    #[arg(long, value_name = "COUNT", value_parser = size)]
    pub(crate) epochs: Option<u32>,

    /// Instead of a network, print the error by network size and by number of samples
    #[arg(long, conflicts_with = "output")]
    pub(crate) tables: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TuneKernelArgs {
    /// A CUDA source, or a Python file with Triton kernels
    pub(crate) file: PathBuf,

    /// The kernel's name. Default: the file's tuned kernel, if there is only one
    #[arg(long, short, value_name = "NAME")]
    pub(crate) kernel: Option<String>,

    /// A shape that replaces the shapes of warplens.toml: `M=2560,N=16,K=2560`; may be repeated
    #[arg(long, value_name = "SIZES")]
    pub(crate) shape: Vec<String>,

    /// Maximum number of variants to compile or list per shape
    #[arg(long, value_name = "COUNT", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) variants: u32,

    #[command(flatten)]
    pub(crate) compile: CompileArgs,

    /// For --compile: the nvdisasm or cuobjdump to run, or its folder. Default: from the compiler's toolkit, otherwise
    /// from PATH
    #[arg(long, value_name = "PATH")]
    pub(crate) disassembler: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) target: TargetArgs,

    /// `text` for people, `csv` for programs, `svg` for a picture over all shapes
    #[arg(long, value_enum, default_value_t = TuneFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TuneFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TuneFormat {
    Text,
    Csv,
    Svg,
}

/// Whether A and B are transposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) a_transposed: bool,
    pub(crate) b_transposed: bool,
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
