//! Arguments that several subcommands share.

use clap::{Args, ColorChoice};
use std::path::PathBuf;

/// Compilers for a source whose code is analysed.
#[derive(Debug, Clone, Args)]
pub(super) struct CompileArgs {
    /// Compile CUDA with nvcc or clang, or PTX with ptxas, and use the resulting code
    #[arg(long)]
    pub(super) compile: bool,

    #[command(flatten)]
    pub(super) cuda: CudaCompilerArgs,

    #[command(flatten)]
    pub(super) assembler: AssemblerArg,
}

#[derive(Debug, Clone, Args)]
pub(super) struct CudaCompilerArgs {
    /// For --compile: the nvcc to run, or its folder. Default: nvcc of CUDA_HOME, otherwise nvcc on PATH
    #[arg(long, value_name = "PATH", requires = "compile")]
    pub(super) nvcc: Option<PathBuf>,

    /// For --compile: the clang to run on CUDA, or its folder. Default: clang on PATH, if the build uses clang
    /// or there is no nvcc
    #[arg(long, value_name = "PATH", requires = "compile")]
    pub(super) clang: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(super) struct AssemblerArg {
    /// For --compile: the ptxas to run, or its folder. Default: ptxas of CUDA_HOME, otherwise ptxas on PATH
    #[arg(long, value_name = "PATH", requires = "compile")]
    pub(super) ptxas: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct FunctionArg {
    /// Only this function, by its mangled or demangled name or a unique prefix of the name
    #[arg(long, short, value_name = "NAME")]
    pub(super) function: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct DisassemblerArg {
    /// For a cubin: the nvdisasm or cuobjdump to run, or its folder. Default: the disassembler on PATH
    #[arg(long, value_name = "PATH")]
    pub(super) disassembler: Option<PathBuf>,
}

/// The GPU and the launches that figures are computed for.
#[derive(Debug, Clone, Args)]
pub(super) struct TargetArgs {
    /// The GPU: a model (`h100-sxm`, `4090`) or an architecture (`sm_90`); `list` prints all. Default: the GPU of warplens.toml,
    /// otherwise the usual GPU for the file's architecture
    #[arg(long, short, value_name = "GPU")]
    pub(super) gpu: Option<String>,

    /// A file with kernel launches, in the format of warplens.toml. The launches in warplens.toml are then ignored
    #[arg(long, value_name = "FILE")]
    pub(super) launches: Option<PathBuf>,

    /// GPU figures that override the built-in ones: a file that `warplens calibrate` wrote
    #[arg(long, value_name = "FILE")]
    pub(super) overlay: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Args)]
pub(super) struct ColorArg {
    /// Colours in text output. `auto`: on a terminal, respecting NO_COLOR and CLICOLOR_FORCE
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(super) color: ColorChoice,
}
