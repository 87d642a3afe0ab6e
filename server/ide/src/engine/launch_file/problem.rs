//! Something that is wrong in a launches file, and its suggested replacement.

use crate::Severity;
use std::ops::Range;

/// Something in a launches file that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// 1-based.
    pub line: usize,
    /// `Error`: the key, rule or launch that contains it has no effect. `Warning`: it has less effect than it seems to.
    pub severity: Severity,
    /// One line: what was expected.
    pub message: String,
    /// The key, rule or table that keeps the value that it had.
    pub(super) key: Option<String>,
    pub suggestion: Option<Suggestion>,
    /// The text is no TOML there.
    pub(super) is_syntax: bool,
    /// The text is no TOML there, and nothing of the file can be relied on.
    pub breaks_file: bool,
}

impl Problem {
    /// A problem of the whole file, of which nothing counts.
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

/// A text that may have been meant, and the bytes that it replaces; an empty range if it is inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub range: Range<usize>,
    pub text: String,
}

/// The most launches that are reported as left out.
pub(super) const MOST_REFUSED: usize = 256; // limit: more are noise

/// A launch that is left out, as something in it is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLaunch {
    /// The kernel, as far as it can be read.
    pub function: String,
    /// 1-based line of the first thing that is wrong.
    pub line: usize,
    /// One line.
    pub why: String,
}

impl RefusedLaunch {
    /// ``the launch that `warplens.toml` states is refused, line 5: …``.
    pub(crate) fn in_words(&self) -> String {
        format!("the launch in `warplens.toml` is invalid, line {}: {}", self.line, self.why)
    }
}
