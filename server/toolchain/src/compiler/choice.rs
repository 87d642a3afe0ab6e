//! Chooses the compiler for a unit.

use super::clang::Clang;
use super::unit::UnitCompiler;
use super::{Compiler, CompilerKind, Flags};
use crate::ToolError;
use crate::search::toolkit;
use crate::toolkit::ToolkitSearch;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The user's settings for CUDA compilers.
#[derive(Debug, Clone, Default)]
pub struct CompilerChoice<'a> {
    /// nvcc, or the folder that contains it.
    pub nvcc: Option<&'a Path>,
    /// clang, or the folder that contains it.
    pub clang: Option<&'a Path>,
    /// ptxas, or the folder that contains it. clang runs this ptxas.
    pub ptxas: Option<&'a Path>,
    /// The compiler that the user requests by name. It is never replaced by another compiler.
    pub demanded: Option<CompilerKind>,
    /// The folder that `CUDA_HOME` names.
    pub home: Option<PathBuf>,
    /// Search path in the format of the environment variable PATH.
    pub path: Option<OsString>,
}

impl CompilerChoice<'_> {
    /// Returns a choice with `CUDA_HOME` and PATH from the environment, without user settings.
    pub fn from_environment() -> Self {
        Self { home: toolkit(), path: std::env::var_os("PATH"), ..Self::default() }
    }

    /// Finds a compiler in this order: the demanded compiler, the compiler of the build, the only compiler with a
    /// configured path, nvcc. If the compiler is not demanded and not installed, uses the other compiler. Runs no
    /// program.
    ///
    /// If a configured path does not exist, returns an error instead of using another compiler.
    pub fn find(&self, flags: &Flags) -> Result<UnitCompiler, ToolError> {
        if let Some(kind) = self.demanded {
            return self.of_kind(kind, flags);
        }
        let configured = match (self.nvcc, self.clang) {
            (None, Some(_)) => CompilerKind::Clang,
            _ => CompilerKind::Nvcc,
        };
        let first = flags.compiler.as_ref().map_or(configured, |compiler| compiler.kind);
        let other = match first {
            CompilerKind::Nvcc => CompilerKind::Clang,
            CompilerKind::Clang => CompilerKind::Nvcc,
        };
        self.of_kind(first, flags).or_else(|why| match why {
            ToolError::NoCompiler
            | ToolError::NoToolkit(_)
            | ToolError::NoClang
            | ToolError::NoToolkitForClang => self.of_kind(other, flags).map_err(|_| why),
            why => Err(why),
        })
    }

    fn of_kind(&self, kind: CompilerKind, flags: &Flags) -> Result<UnitCompiler, ToolError> {
        match kind {
            CompilerKind::Nvcc => {
                let nvcc = match self.nvcc {
                    Some(configured) => Compiler::at(configured),
                    None => Compiler::find(self.home.as_deref(), self.path.clone()),
                };
                nvcc.map(UnitCompiler::Nvcc)
            }
            CompilerKind::Clang => {
                let named = flags.compiler.as_ref().filter(|compiler| compiler.kind == kind);
                let name = named.map(|compiler| compiler.name.as_str());
                let path = Clang::program(self.clang, name, self.path.clone())?;
                let search = ToolkitSearch {
                    ptxas: self.ptxas,
                    nvcc: self.nvcc,
                    home: self.home.clone(),
                    path: self.path.clone(),
                };
                Ok(UnitCompiler::Clang(Clang { path, toolkit: search.find(flags.toolkit.as_deref())? }))
            }
        }
    }
}
