//! The one place that runs other programs: the vendor's tools, which warplens neither ships nor downloads.
//!
//! A program is run only with somebody's [`Consent`], never by a shell, with its arguments as a list, for a limited time,
//! with a limited output, in a private folder that is removed afterwards, and stops when nobody wants it any more.

mod assembler;
mod consent;
mod disassembler;
mod error;
mod folder;
mod run;
mod search;

mod compiler;
mod workplace;

pub use assembler::{Assembled, Assembler, Assembly, Message, Severity, Usage};
pub use compiler::Compiler;
pub use consent::Consent;
pub use disassembler::{Disassembler, DisassemblerKind};
pub use error::ToolError;
pub use run::Limits;
pub use search::Search;
pub use workplace::Workplace;

#[cfg(test)]
#[cfg(unix)]
mod tests;
