//! The line that is being typed: what is wrong with it waits until the typing rests.

use std::time::{Duration, Instant};
use tower_lsp_server::ls_types::{Diagnostic, DiagnosticSeverity};

/// The rest after which a line counts as typed.
const REST: Duration = Duration::from_millis(500);

/// The longest text of one edit that counts as typed, in bytes: a longer one is pasted, or made by a program.
const MOST_TYPED: usize = 64; // limit: a longer text is pasted or generated

/// The last edit of a document, where it looks like typing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Typed {
    at: Instant,
    /// Counted from 0, in the text after the edit.
    line: u32,
}

impl Typed {
    /// An edit that put this text at the start of a line's rest, just now; `None` if the text is too long to be typed.
    pub(crate) fn new(line: usize, text: &str) -> Option<Self> {
        let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
        let is_typed = text.len() <= MOST_TYPED && breaks <= 1;
        is_typed.then(|| Self { at: Instant::now(), line: (line + breaks) as u32 })
    }

    /// The time for which findings wait: until the typing rests, where one of them is about the line that is being typed.
    pub(crate) fn hold(&self, findings: &[Diagnostic]) -> Option<Duration> {
        let is_grave = |found: &&Diagnostic| {
            matches!(found.severity, Some(DiagnosticSeverity::ERROR | DiagnosticSeverity::WARNING))
        };
        let is_there =
            |found: &Diagnostic| (found.range.start.line..=found.range.end.line).contains(&self.line);
        findings.iter().filter(is_grave).any(is_there).then(|| self.left()).flatten()
    }

    /// The time until the typing rests; `None` where it does.
    pub(crate) fn left(&self) -> Option<Duration> {
        REST.checked_sub(self.at.elapsed())
    }
}
