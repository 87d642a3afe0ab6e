//! Runs other programs: NVIDIA's tools and clang. warplens neither ships nor downloads them. No other crate runs
//! programs.
//!
//! A program runs only with the user's [`Consent`] and never through a shell. Its arguments are a list, its time and
//! output are limited, and its private folder is removed afterwards. A program is stopped when its result is no longer
//! wanted, or when this process ends for any reason.

mod assembler;
mod consent;
mod disassembler;
mod drain;
mod error;
mod folder;
mod folders;
mod profiler;
mod run;
mod search;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod supervisor;

mod compiler;
mod toolkit;
mod working_folder;

pub use assembler::{Assembled, Assembler, Assembly, Message, Severity, Usage};
pub use compiler::{
    BuildCompiler, Clang, Compiler, CompilerChoice, CompilerKind, Flags, Product, Unit, UnitCode,
    UnitCompiler, UnitProduct,
};
pub use consent::Consent;
pub use disassembler::{Disassembler, DisassemblerKind};
pub use error::ToolError;
pub use profiler::{Profiler, ProfilerRun};
pub use run::{Limits, end_all};
pub use search::Search;
#[cfg(unix)]
pub use supervisor::supervise_if_asked;
pub use toolkit::Toolkit;
pub use working_folder::WorkingFolder;

/// Returns `None`: this system has no supervisor, so only this process stops a tool.
#[cfg(not(unix))]
pub fn supervise_if_asked() -> Option<std::process::ExitCode> {
    None
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
