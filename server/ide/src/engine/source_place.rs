//! Source lines that instructions come from.

use std::sync::Arc;

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourcePlace {
    /// The path as the compiler wrote it.
    pub path: Arc<str>,
    /// The line, 1-based.
    pub line: u32,
}

/// The source line of an instruction, and the lines of the calls through which it was inlined, the innermost first.
/// Empty if the instruction has no known source.
pub(crate) type Stack = Arc<[SourcePlace]>;
