//! The compiler that a unit is compiled with.

use super::clang::Clang;
use super::unit::UnitCompiler;
use super::{Compiler, CompilerKind, Flags};
use crate::ToolError;
use crate::toolkit::ToolkitSearch;
use std::path::Path;

/// The user's statements about compilers of CUDA.
#[derive(Debug, Clone, Copy, Default)]
pub struct CompilerChoice<'a> {
    /// nvcc, or the folder that has it.
    pub nvcc: Option<&'a Path>,
    /// clang, or the folder that has it.
    pub clang: Option<&'a Path>,
    /// ptxas, or the folder that has it: clang runs it.
    pub ptxas: Option<&'a Path>,
    /// The compiler that the user asks for by name. No other one takes its place.
    pub demanded: Option<CompilerKind>,
}

impl CompilerChoice<'_> {
    /// The compiler that is demanded; else that of the build; else the one whose path alone is configured; else nvcc. The
    /// other one takes the place of one that is not installed. Runs nothing.
    ///
    /// `Err` also for a configured path that leads nowhere, as no other compiler is meant there.
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
            CompilerKind::Nvcc => Compiler::at_or_from_environment(self.nvcc).map(UnitCompiler::Nvcc),
            CompilerKind::Clang => {
                let named = flags.compiler.as_ref().filter(|compiler| compiler.kind == kind);
                let name = named.map(|compiler| compiler.name.as_str());
                let path = Clang::program(self.clang, name, std::env::var_os("PATH"))?;
                let search = ToolkitSearch::from_environment(self.ptxas, self.nvcc);
                Ok(UnitCompiler::Clang(Clang { path, toolkit: search.find(flags.toolkit.as_deref())? }))
            }
        }
    }
}
