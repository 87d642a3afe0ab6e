//! Why a program gave nothing.

use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// One line that says what was expected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ToolError {
    #[error(
        "no disassembler found; expected nvdisasm or cuobjdump of the CUDA toolkit on PATH, or a path to one"
    )]
    Missing,
    #[error("nvcc not found: install the CUDA toolkit, or name its folder in CUDA_HOME")]
    NoCompiler,
    #[error("CUDA_HOME is `{}`, which has no bin/nvcc: expected the folder of the CUDA toolkit", .0.display())]
    NoToolkit(PathBuf),
    #[error(
        "no ptxas found: it comes with the CUDA toolkit; put the toolkit's bin folder on PATH, name the toolkit in \
         CUDA_HOME, or give the path of ptxas in the settings"
    )]
    NoAssembler,
    #[error("`{}` is no program; expected the path of ptxas, or of the folder that has it", .0.display())]
    NoAssemblerAt(PathBuf),
    #[error("`{}` is no program; expected the path of nvcc, or of the folder that has it", .0.display())]
    NoCompilerAt(PathBuf),
    #[error(
        "ncu not found: it comes with Nsight Compute and the CUDA toolkit; put its folder on PATH, or give its path"
    )]
    NoProfiler,
    #[error("`{}` is no program; expected the path of ncu, or of the folder that has it", .0.display())]
    NoProfilerAt(PathBuf),
    #[error("clang not found: install it, or give its path in the settings")]
    NoClang,
    #[error("`{}` is no program; expected the path of clang, or of the folder that has it", .0.display())]
    NoClangAt(PathBuf),
    #[error(
        "clang compiles CUDA with the headers and ptxas of the CUDA toolkit, which is not found: install it, or name its \
         folder in CUDA_HOME"
    )]
    NoToolkitForClang,
    #[error("{program} is not given `{argument}`: {why}")]
    Argument { program: &'static str, argument: String, why: &'static str },
    #[error("`{}` is no program; expected the path of nvdisasm or cuobjdump", .0.display())]
    NoProgram(PathBuf),
    #[error("{program} could not be started: {why}")]
    NotStarted { program: String, why: String },
    /// With a line of what it wrote to its standard error: the first, or of a program under a profiler the last.
    #[error("{program} failed ({status}): {message}")]
    Failed { program: String, status: String, message: String },
    #[error("{program} took longer than {} s and was stopped", .limit.as_secs_f32())]
    TooLong { program: String, limit: Duration },
    #[error("{program} wrote more than {limit} bytes and was stopped")]
    TooMuch { program: String, limit: usize },
    #[error("{program} was stopped: nobody waits for it any more")]
    Cancelled { program: String },
    #[error("the private folder for {program} failed: {why}")]
    Folder { program: String, why: String },
    #[error("{program} found no code in the file")]
    Nothing { program: String },
}
