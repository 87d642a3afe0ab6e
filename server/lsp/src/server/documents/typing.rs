//! The line that is being typed: findings on it wait until typing stops.

use std::time::{Duration, Instant};
use tower_lsp_server::ls_types::{Diagnostic, DiagnosticSeverity};

/// Time without an edit after which a line counts as finished.
const REST: Duration = Duration::from_millis(500);

/// Maximum length of the text of an edit that counts as typed, in bytes. Longer text is pasted or generated.
const MAX_TYPED: usize = 64; // limit: a longer text is pasted or generated

/// An edit that looks like typing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TypingEdit {
    at: Instant,
    /// Line number, counted from 0, in the text after the edit.
    line: u32,
}

impl TypingEdit {
    /// Records an edit that has just inserted `text` at line `line`. `None` if the text is longer than anything a user
    /// types in one edit.
    pub(crate) fn new(line: usize, text: &str) -> Option<Self> {
        let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
        let is_typed = text.len() <= MAX_TYPED && breaks <= 1;
        is_typed.then(|| Self { at: Instant::now(), line: (line + breaks) as u32 })
    }

    /// Time until typing counts as stopped, for which `findings` must be held back. `None` if no error or warning is on
    /// the line being typed, or if typing has stopped.
    pub(crate) fn hold(&self, findings: &[Diagnostic]) -> Option<Duration> {
        let is_grave = |found: &&Diagnostic| {
            matches!(found.severity, Some(DiagnosticSeverity::ERROR | DiagnosticSeverity::WARNING))
        };
        let is_there =
            |found: &Diagnostic| (found.range.start.line..=found.range.end.line).contains(&self.line);
        findings.iter().filter(is_grave).any(is_there).then(|| self.left()).flatten()
    }

    /// Time until typing counts as stopped; `None` if typing has stopped.
    pub(crate) fn left(&self) -> Option<Duration> {
        REST.checked_sub(self.at.elapsed())
    }
}
