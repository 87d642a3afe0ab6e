//! A mistake in a `warplens.toml`.

use crate::Severity;
use std::ops::Range;

/// Something in a launches file that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// 1-based.
    pub line: usize,
    /// `Error`: the key, rule or launch that it stands in says nothing. `Warning`: it says less than it seems to.
    pub severity: Severity,
    /// One line: what was expected.
    pub message: String,
    /// The text is no TOML there, so nothing of the file can be relied on.
    pub breaks_file: bool,
}
