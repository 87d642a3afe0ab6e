//! Source lines of instructions.

use std::sync::Arc;

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourcePlace {
    /// The path in the form that the compiler wrote.
    pub path: Arc<str>,
    /// The line number, 1-based.
    pub line: u32,
}

/// The source line of an instruction, followed by the lines of the calls that it was inlined through,
/// innermost first. Empty if the source line is unknown.
pub(crate) type Stack = Arc<[SourcePlace]>;
