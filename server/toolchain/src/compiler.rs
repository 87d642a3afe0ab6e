//! CUDA compilers: nvcc and clang.

mod alias;
mod choice;
mod clang;
mod flags;
mod kind;
mod refusal;
mod unit;
mod words;

pub use choice::CompilerChoice;
pub use clang::Clang;
pub use flags::Flags;
pub use kind::{BuildCompiler, CompilerKind};
pub use unit::{Unit, UnitCode, UnitCompiler, UnitProduct};

use crate::search::toolkit;
use crate::{Consent, Limits, Search, ToolError, WorkingFolder};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// An installed nvcc. nvcc needs a host compiler on PATH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    pub path: PathBuf,
}

/// The type of file that a source is compiled to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// The kernels, for one architecture.
    Cubin(u16),
    /// A host program that loads the CUDA driver library at run time, built without the CUDA runtime.
    DriverProgram,
    /// Kernels and host code, for one architecture.
    Program(u16),
}

const NVCC: &str = "nvcc";

impl Compiler {
    /// Finds the nvcc of a toolkit folder, or the nvcc on PATH if the folder contains no compiler. Runs no program.
    pub fn find(toolkit: Option<&Path>, path: Option<std::ffi::OsString>) -> Result<Self, ToolError> {
        let at = |configured, path| Search { configured, path }.first_of(&[NVCC]).ok();
        let in_toolkit = toolkit.and_then(|folder| at(Some(folder.join("bin")), None));
        let found = in_toolkit.or_else(|| at(None, path));
        let missing =
            || toolkit.map_or(ToolError::NoCompiler, |folder| ToolError::NoToolkit(folder.to_owned()));
        found.map(|(path, _)| Self { path }).ok_or_else(missing)
    }

    /// Finds the nvcc of `CUDA_HOME`, otherwise the nvcc on PATH.
    pub fn from_environment() -> Result<Self, ToolError> {
        Self::find(toolkit().as_deref(), std::env::var_os("PATH"))
    }

    /// The nvcc at a configured path: a program, or a folder that contains it.
    pub fn at(configured: &Path) -> Result<Self, ToolError> {
        let search = Search { configured: Some(configured.to_owned()), path: None };
        let (path, _) =
            search.first_of(&[NVCC]).map_err(|_| ToolError::NoCompilerAt(configured.to_owned()))?;
        Ok(Self { path })
    }

    /// The search for a disassembler of this nvcc's output: the configured path, then the same toolkit, then PATH.
    pub fn disassembler(&self, configured: Option<PathBuf>) -> Search {
        Search::adjacent(&self.path, configured)
    }

    /// Compiles a source file in the workplace to a file in the workplace.
    pub fn compile(
        &self,
        consent: Consent,
        place: &WorkingFolder,
        (source, output): (&str, &str),
        product: Product,
        limits: Limits,
    ) -> Result<(), ToolError> {
        let arch = match product {
            Product::Cubin(sm) | Product::Program(sm) => format!("-arch=sm_{sm}"),
            Product::DriverProgram => String::new(),
        };
        let arguments: &[&str] = match product {
            Product::Cubin(_) => &["-cubin", &arch, "-o", output, source],
            Product::DriverProgram => &["-O2", "-cudart", "none", "-o", output, source, "-ldl"],
            Product::Program(_) => &["-std=c++17", "-O2", &arch, "-o", output, source],
        };
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        place.run(consent, &self.path, &arguments, limits).map(drop)
    }
}
