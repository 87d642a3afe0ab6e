//! Reasons why an external program returned no result.

use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// Error of an external program. It displays as a one-line message that states what was expected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ToolError {
    #[error(
        "no disassembler found: put nvdisasm or cuobjdump of the CUDA toolkit on PATH, or give the path of either program"
    )]
    Missing,
    #[error("nvcc not found: install the CUDA toolkit, or set CUDA_HOME to its folder")]
    NoCompiler,
    #[error("CUDA_HOME is `{}`, which has no bin/nvcc: expected the folder of the CUDA toolkit", .0.display())]
    NoToolkit(PathBuf),
    #[error(
        "ptxas not found; it is part of the CUDA toolkit. Put the toolkit's bin folder on PATH, set CUDA_HOME, or \
         give the path of ptxas in the settings"
    )]
    NoAssembler,
    #[error("`{}` is not a program; expected the path of ptxas or of its folder", .0.display())]
    NoAssemblerAt(PathBuf),
    #[error("`{}` is not a program; expected the path of nvcc or of its folder", .0.display())]
    NoCompilerAt(PathBuf),
    #[error(
        "ncu not found; it is part of Nsight Compute and the CUDA toolkit. Put its folder on PATH, or give its path"
    )]
    NoProfiler,
    #[error("`{}` is not a program; expected the path of ncu or of its folder", .0.display())]
    NoProfilerAt(PathBuf),
    #[error("clang not found: install it, or give its path in the settings")]
    NoClang,
    #[error("`{}` is not a program; expected the path of clang or of its folder", .0.display())]
    NoClangAt(PathBuf),
    #[error(
        "CUDA toolkit not found; clang needs its headers and ptxas. Install it, or set CUDA_HOME to its folder"
    )]
    NoToolkitForClang,
    #[error("`{argument}` cannot be passed to {program}: {why}")]
    Argument { program: &'static str, argument: String, why: &'static str },
    #[error("`{path}` cannot be compiled: {why}")]
    Path { path: String, why: String },
    #[error("`{}` is not a program; expected the path of nvdisasm or cuobjdump", .0.display())]
    NoProgram(PathBuf),
    #[error("{program} could not be started: {why}")]
    NotStarted { program: String, why: String },
    /// The program failed. `message` is the first line of its standard error. For a profiled program it is
    /// the last line.
    #[error("{program} failed ({status}): {message}")]
    Failed { program: String, status: String, message: String },
    #[error("{program} took longer than {} s and was stopped", .limit.as_secs_f32())]
    TooLong { program: String, limit: Duration },
    #[error("{program} wrote more than {limit} bytes and was stopped")]
    TooMuch { program: String, limit: usize },
    #[error("{program} was cancelled")]
    Cancelled { program: String },
    #[error("cannot create a private folder for {program}: {why}")]
    Folder { program: String, why: String },
    #[error("{program} found no code in the file")]
    Nothing { program: String },
}
