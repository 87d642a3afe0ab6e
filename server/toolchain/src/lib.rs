//! Execution of other programs: the vendor's tools and clang, which warplens neither ships nor downloads. No other
//! crate runs programs.
//!
//! A program is run only with the user's [`Consent`], never by a shell, with its arguments as a list, with limits on
//! time and output, in a private folder that is removed afterwards. It is stopped when its result is no longer wanted,
//! or when this process ends for any reason.

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
mod workplace;

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
pub use workplace::Workplace;

/// There is no supervisor on this system: only this process stops a tool.
#[cfg(not(unix))]
pub fn supervise_if_asked() -> Option<std::process::ExitCode> {
    None
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
