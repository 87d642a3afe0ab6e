//! Reasons why a file is not a readable cubin.

use thiserror::Error;

/// Error of reading a cubin. It displays as a one-line message with the expected contents.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CubinError {
    #[error("not a cubin: expected a 64-bit little-endian ELF file")]
    NotElf,
    /// The ELF's `e_machine`.
    #[error("not a cubin: the ELF file is for machine {0}, expected 190 (CUDA)")]
    OtherMachine(u16),
    #[error("broken binary: {part}: {why}")]
    Broken {
        /// Element of the file that could not be read, as `readelf` names it.
        part: String,
        /// Description of the expected and the actual contents of the element.
        why: String,
    },
}

impl CubinError {
    #[expect(clippy::needless_pass_by_value, reason = "callers pass the errors of other crates by value")]
    pub(super) fn broken(part: impl Into<String>, why: impl ToString) -> Self {
        Self::Broken { part: part.into(), why: why.to_string() }
    }

    /// Returns an error for a section. The section's name is escaped and truncated, because a broken file may
    /// contain any name.
    pub(super) fn in_section(name: &str, why: impl ToString) -> Self {
        const MAX_CHARS: usize = 80; // limit: a message fits a line
        let shown: String = name.chars().take(MAX_CHARS).collect();
        Self::broken(format!("section {}", shown.escape_debug()), why)
    }
}
