//! A problem in a launches file, with an optional suggested replacement.

use crate::Severity;
use std::ops::Range;

/// A problem in a launches file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Range in the file, in bytes.
    pub range: Range<usize>,
    /// Line of the range, 1-based.
    pub line: usize,
    /// `Error` if the surrounding key, rule or launch has no effect. `Warning` if its effect is smaller than
    /// the file suggests.
    pub severity: Severity,
    /// One-line message that states what was expected.
    pub message: String,
    /// The key, rule or table that keeps its value from the previous file.
    pub(super) key: Option<String>,
    pub suggestion: Option<Suggestion>,
    /// True for a TOML syntax error.
    pub(super) is_syntax: bool,
    /// True if the whole file is ignored because of this error.
    pub breaks_file: bool,
}

impl Problem {
    /// Creates a problem that causes the whole file to be ignored.
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

/// A replacement that the user probably meant, and the byte range to replace. An insertion has an empty
/// range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub range: Range<usize>,
    pub text: String,
}

/// Largest number of refused launches that are reported.
pub(super) const MAX_REFUSED: usize = 256; // limit: more are noise

/// A launch that is ignored because of an error in the launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLaunch {
    /// Name of the kernel, as written in the file.
    pub function: String,
    /// Line of the first error, 1-based.
    pub line: usize,
    /// One-line reason.
    pub why: String,
}

impl RefusedLaunch {
    /// Returns the reason as a clause: ``the launch in `warplens.toml` is invalid, line 5: ...``.
    pub(crate) fn in_words(&self) -> String {
        format!("the launch in `warplens.toml` is invalid, line {}: {}", self.line, self.why)
    }
}
