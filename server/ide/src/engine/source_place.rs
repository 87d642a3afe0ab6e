//! Places in sources that instructions come from.

use std::sync::Arc;

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourcePlace {
    /// The path as the compiler wrote it.
    pub path: Arc<str>,
    /// Counted from 1.
    pub line: u32,
}

/// The line that an instruction comes from, and the calls that it was inlined by, the innermost first. Empty where nothing is
/// known of it.
pub(crate) type Stack = Arc<[SourcePlace]>;
