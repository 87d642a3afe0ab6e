//! Reasons why an instruction cannot be copied.

use thiserror::Error;

/// Reason why an instruction has no text in another assembler's notation. It displays as the rest of a sentence whose
/// subject is the instruction's line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum CopyError {
    #[error("uses another assembler's expression syntax")]
    ForeignSyntax,
    #[error("names {label}, which is not a label of this kernel")]
    UnknownLabel { label: String },
    /// A name from the file's mappings of registers and constants.
    #[error("names {name}, which this file maps to a register or a constant")]
    MappedName { name: String },
    #[error("has no control code")]
    NoControlCode,
    #[error("leaves its stall count to TuringAs")]
    NoStallCount,
    #[error("has a control code that this assembler cannot express")]
    ControlCode,
}
