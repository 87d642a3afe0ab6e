//! A problem in a launches file, and its suggested replacement.

use crate::Severity;
use std::ops::Range;

/// A problem in a launches file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Range in the text, in bytes.
    pub range: Range<usize>,
    /// The line, 1-based.
    pub line: usize,
    /// `Error`: the key, rule or launch that contains it has no effect. `Warning`: it has less effect than it seems to.
    pub severity: Severity,
    /// One line on what was expected.
    pub message: String,
    /// The key, rule or table that keeps its value from the earlier file.
    pub(super) key: Option<String>,
    pub suggestion: Option<Suggestion>,
    /// True for a syntax error of TOML.
    pub(super) is_syntax: bool,
    /// True for a syntax error because of which nothing in the file can be relied on.
    pub breaks_file: bool,
}

impl Problem {
    /// A problem because of which the whole file is ignored.
    pub fn of_file(severity: Severity, message: String) -> Self {
        Self {
            range: 0..0,
            line: 1,
            severity,
            message,
            key: None,
            suggestion: None,
            is_syntax: false,
            breaks_file: true,
        }
    }
}

/// A replacement that was probably meant, and the byte range that it replaces; the range is empty for an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub range: Range<usize>,
    pub text: String,
}

/// Largest number of launches that are reported as left out.
pub(super) const MOST_REFUSED: usize = 256; // limit: more are noise

/// A launch that is left out because of an error in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLaunch {
    /// The kernel's name as written.
    pub function: String,
    /// The line of the first error, 1-based.
    pub line: usize,
    /// The reason, in one line.
    pub why: String,
}

impl RefusedLaunch {
    /// ``the launch in `warplens.toml` is invalid, line 5: …``.
    pub(crate) fn in_words(&self) -> String {
        format!("the launch in `warplens.toml` is invalid, line {}: {}", self.line, self.why)
    }
}
