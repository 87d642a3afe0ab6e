//! Why bytes are no cubin.

use thiserror::Error;

/// One line that says what was expected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CubinError {
    #[error("no cubin: expected an ELF file of 64 bits, little-endian")]
    NotElf,
    /// The ELF's `e_machine`.
    #[error("no cubin: the ELF file is for machine {0}, expected 190 (CUDA)")]
    OtherMachine(u16),
    #[error("broken binary: {part}: {why}")]
    Broken {
        /// The part of the file, as `readelf` names it.
        part: String,
        /// Sentence that says what was expected of it, and what is there.
        why: String,
    },
}

impl CubinError {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the errors of other crates are handed over as they come"
    )]
    pub(super) fn broken(part: impl Into<String>, why: impl ToString) -> Self {
        Self::Broken { part: part.into(), why: why.to_string() }
    }

    /// Returns the error of a section with this name, which in a broken file may be anything.
    pub(super) fn in_section(name: &str, why: impl ToString) -> Self {
        const MOST_CHARS: usize = 80; // limit: a message fits a line
        let shown: String = name.chars().take(MOST_CHARS).collect();
        Self::broken(format!("section {}", shown.escape_debug()), why)
    }
}
