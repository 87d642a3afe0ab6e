//! The vendor's compiler.

use crate::{Consent, Limits, Search, ToolError, Workplace};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// An nvcc that is there. It needs a host compiler of its own on PATH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    pub path: PathBuf,
}

const NVCC: &str = "nvcc";

impl Compiler {
    /// That of the toolkit whose folder is given, else the one on PATH. Runs nothing.
    pub fn find(toolkit: Option<&Path>, path: Option<std::ffi::OsString>) -> Result<Self, ToolError> {
        let (configured, path) = match toolkit {
            Some(folder) => (Some(folder.join("bin")), None),
            None => (None, path),
        };
        let found = Search { configured, path }.first_of(&[NVCC]).map_err(|_| match toolkit {
            Some(folder) => ToolError::NoToolkit(folder.to_owned()),
            None => ToolError::NoCompiler,
        })?;
        Ok(Self { path: found.0 })
    }

    /// As the environment has it: `CUDA_HOME`, else PATH.
    pub fn from_environment() -> Result<Self, ToolError> {
        let toolkit = std::env::var_os("CUDA_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        Self::find(toolkit.as_deref(), std::env::var_os("PATH"))
    }

    /// Compiles the kernels of a source in the workplace for one architecture, to a cubin there.
    pub fn cubin(
        &self,
        consent: Consent,
        place: &Workplace,
        (source, cubin): (&str, &str),
        sm: u16,
        limits: Limits,
    ) -> Result<(), ToolError> {
        let arch = format!("-arch=sm_{sm}");
        let arguments = ["-cubin", &arch, "-o", cubin, source].map(OsStr::new);
        place.run(consent, &self.path, &arguments, limits).map(drop)
    }

    /// Compiles a source in the workplace to a program there that loads the driver itself.
    pub fn program(
        &self,
        consent: Consent,
        place: &Workplace,
        (source, program): (&str, &str),
        limits: Limits,
    ) -> Result<(), ToolError> {
        let arguments = ["-O2", "-cudart", "none", "-o", program, source, "-ldl"].map(OsStr::new);
        place.run(consent, &self.path, &arguments, limits).map(drop)
    }

    /// Compiles a source in the workplace, kernels and host code, to a program there for one architecture.
    pub fn runtime_program(
        &self,
        consent: Consent,
        place: &Workplace,
        (source, program): (&str, &str),
        sm: u16,
        limits: Limits,
    ) -> Result<(), ToolError> {
        let arch = format!("-arch=sm_{sm}");
        let arguments = ["-std=c++17", "-O2", &arch, "-o", program, source].map(OsStr::new);
        place.run(consent, &self.path, &arguments, limits).map(drop)
    }
}
