//! Messages of compilers about a document, attached to the lines that they report on.
//!
//! A message belongs to the text that was compiled. An edit of another line moves the message along with its
//! line. An edit of its own line removes the message, and so does the next run of the compiler.

use crate::server::transport::position::PositionConverter;
use ide::TextEdit;
use ropey::Rope;
use std::ops::Range;
use tower_lsp_server::ls_types::{Diagnostic, DiagnosticSeverity};

/// The messages about one document.
#[derive(Debug, Default)]
pub(crate) struct CompilerMessages {
    messages: Vec<CompilerMessage>,
    /// Number of the run under way, and the edits of its text since the run began; `None` if no run is under
    /// way.
    run: Option<(u64, ChangesSince)>,
}

/// One message, with the text range that the message reports on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompilerMessage {
    /// Byte range in the text.
    pub(crate) range: Range<usize>,
    pub(crate) severity: DiagnosticSeverity,
    /// Name of the compiler that wrote the message; clients show it next to the message.
    pub(crate) source: &'static str,
    pub(crate) text: String,
}

#[derive(Debug)]
enum ChangesSince {
    Edits(Vec<RangeShift>),
    /// The whole text was replaced.
    Replaced,
}

/// How an edit moves byte ranges.
#[derive(Debug)]
struct RangeShift {
    /// Byte range that the edit removed.
    taken: Range<usize>,
    given_bytes: usize,
    /// True if a line that starts right after the edited range still starts a line after the edit.
    ends_line: bool,
    /// True if a line that ends right before the edited range still ends a line after the edit.
    begins_line: bool,
}

impl CompilerMessages {
    /// Begins a run on the current text. From now on, [`Self::finish`] rejects messages of earlier runs.
    pub(crate) fn begin(&mut self, run: u64) {
        self.run = Some((run, ChangesSince::Edits(Vec::new())));
    }

    /// Discards a run that did not finish.
    pub(crate) fn abandon(&mut self, run: u64) {
        if self.run.as_ref().is_some_and(|(own, _)| *own == run) {
            self.run = None;
        }
    }

    /// Stores all messages of a run. Their ranges are in the text with which the run began. Returns false if
    /// another run has begun since.
    pub(crate) fn finish(&mut self, run: u64, messages: Vec<CompilerMessage>, compiled: &Rope) -> bool {
        let Some((_, since)) = self.run.take_if(|(own, _)| *own == run) else { return false };
        self.messages = messages;
        match since {
            ChangesSince::Replaced => self.messages.clear(),
            ChangesSince::Edits(edits) => {
                let mut lines: Vec<_> =
                    self.messages.iter().map(|reported| line_of(compiled, &reported.range)).collect();
                for edit in &edits {
                    self.follow(edit, &mut lines);
                }
            }
        }
        true
    }

    /// Drops all messages, since the whole text was replaced.
    pub(crate) fn replaced(&mut self) {
        self.messages.clear();
        if let Some((_, since)) = &mut self.run {
            *since = ChangesSince::Replaced;
        }
    }

    /// Adjusts the messages to an edit that is about to be applied to the text `before`.
    pub(crate) fn edited(&mut self, before: &Rope, edit: &TextEdit) {
        if self.messages.is_empty() && self.run.is_none() {
            return;
        }
        let edit = RangeShift::by_edit(before, edit);
        let mut lines: Vec<_> =
            self.messages.iter().map(|reported| line_of(before, &reported.range)).collect();
        self.follow(&edit, &mut lines);
        if let Some((_, ChangesSince::Edits(edits))) = &mut self.run {
            edits.push(edit);
        }
    }

    /// Moves messages and their lines along with an edit. Drops a message if the edit touches its line.
    fn follow(&mut self, edit: &RangeShift, lines: &mut Vec<Range<usize>>) {
        let mut kept = Vec::with_capacity(lines.len());
        let mut messages = Vec::with_capacity(lines.len());
        for (mut reported, line) in self.messages.drain(..).zip(lines.drain(..)) {
            if let Some(moved) = edit.place(&line) {
                let place = |byte: usize| moved.start + byte.saturating_sub(line.start);
                reported.range = place(reported.range.start)..place(reported.range.end);
                messages.push(reported);
                kept.push(moved);
            }
        }
        self.messages = messages;
        *lines = kept;
    }

    /// Returns the messages as a client shows them, in the order in which the compiler wrote them.
    pub(crate) fn diagnostics(&self, mut places: PositionConverter<'_>) -> Vec<Diagnostic> {
        let diagnostic = |reported: &CompilerMessage| Diagnostic {
            range: places.range(&reported.range),
            severity: Some(reported.severity),
            source: Some(reported.source.to_owned()),
            message: reported.text.clone(),
            ..Diagnostic::default()
        };
        self.messages.iter().map(diagnostic).collect()
    }
}

impl RangeShift {
    fn by_edit(before: &Rope, edit: &TextEdit) -> Self {
        const BREAKS: [char; 2] = ['\n', '\r'];
        let Range { start, end } = edit.range;
        let is_break =
            |byte: usize| before.get_byte(byte).is_none_or(|byte| BREAKS.contains(&char::from(byte)));
        let (text, whole_lines) = (&edit.text, edit.text.is_empty());
        Self {
            taken: edit.range.clone(),
            given_bytes: text.len(),
            ends_line: text.ends_with(BREAKS) || (whole_lines && (start == 0 || is_break(start - 1))),
            begins_line: text.starts_with(BREAKS) || (whole_lines && is_break(end)),
        }
    }

    /// Returns the byte range of a line after the edit; `None` if the edit changed the line.
    fn place(&self, line: &Range<usize>) -> Option<Range<usize>> {
        let follows = self.taken.end < line.start || (self.taken.end == line.start && self.ends_line);
        let is_before = self.taken.start > line.end || (self.taken.start == line.end && self.begins_line);
        if follows {
            let moved = |byte: usize| byte - self.taken.len() + self.given_bytes;
            Some(moved(line.start)..moved(line.end))
        } else {
            is_before.then(|| line.clone())
        }
    }
}

/// Byte range of the lines that a range touches, without the last line's ending.
fn line_of(text: &Rope, range: &Range<usize>) -> Range<usize> {
    let within = |byte: usize| byte.min(text.len_bytes());
    let first = text.line_to_byte(text.byte_to_line(within(range.start)));
    let last = text.byte_to_line(within(range.end));
    let all = text.line(last).to_string();
    first..text.line_to_byte(last) + all.trim_end_matches(['\n', '\r']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one\ntwo x\nthree\n";

    /// Replaces `range` by `text` in a text with a message at `x`. Returns the text that the message then
    /// covers, or `None` if the message is gone.
    fn after(range: Range<usize>, text: &str) -> Option<String> {
        let before = Rope::from_str(TEXT);
        let edit = TextEdit { range: range.clone(), text: text.to_owned() };
        let mut edited = TEXT.to_owned();
        edited.replace_range(range, text);
        let reported = CompilerMessage {
            range: 8..9,
            severity: DiagnosticSeverity::ERROR,
            source: "ptxas",
            text: String::new(),
        };
        let show = |compiled: &CompilerMessages| {
            let reported = compiled.messages.first()?;
            assert_eq!(&edited[reported.range.clone()], "x", "{edited}");
            Some(edited.clone())
        };
        // The result is the same whether the edit occurs during the run or after the run.
        let mut later = CompilerMessages::default();
        later.begin(1);
        assert!(later.finish(1, vec![reported.clone()], &before));
        later.edited(&before, &edit);
        let mut meanwhile = CompilerMessages::default();
        meanwhile.begin(1);
        meanwhile.edited(&before, &edit);
        assert!(meanwhile.finish(1, vec![reported], &before));
        assert_eq!(show(&later), show(&meanwhile));
        show(&later)
    }

    #[test]
    fn an_edit_elsewhere_moves_a_message() {
        assert_eq!(after(0..0, "zero\n").as_deref(), Some("zero\none\ntwo x\nthree\n"));
        assert_eq!(after(0..3, "").as_deref(), Some("\ntwo x\nthree\n"));
        assert_eq!(after(4..4, "\n\n").as_deref(), Some("one\n\n\ntwo x\nthree\n"));
        assert_eq!(after(0..4, "").as_deref(), Some("two x\nthree\n"));
        assert_eq!(after(9..15, "").as_deref(), Some("one\ntwo x\n"));
        assert_eq!(after(9..9, "\n").as_deref(), Some("one\ntwo x\n\nthree\n"));
        assert_eq!(after(10..15, "3").as_deref(), Some("one\ntwo x\n3\n"));
    }

    #[test]
    fn an_edit_of_its_line_ends_a_message() {
        for (range, text) in [
            (4..4, "a"),
            (9..9, " "),
            (3..4, ""),
            (8..9, "y"),
            (9..10, ""),
            (1..4, ""),
            (9..14, ""),
            (0..16, "x\n"),
        ] {
            assert_eq!(after(range.clone(), text), None, "{range:?} {text:?}");
        }
    }

    #[test]
    fn only_the_last_run_counts() {
        let rope = Rope::from_str(TEXT);
        let reported = || {
            vec![CompilerMessage {
                range: 0..1,
                severity: DiagnosticSeverity::ERROR,
                source: "ptxas",
                text: "a".to_owned(),
            }]
        };
        let mut compiled = CompilerMessages::default();
        compiled.begin(1);
        compiled.begin(2);
        assert!(!compiled.finish(1, reported(), &rope));
        compiled.abandon(1);
        assert!(compiled.finish(2, reported(), &rope) && compiled.messages.len() == 1);
        assert!(!compiled.finish(2, reported(), &rope));
        compiled.begin(3);
        compiled.replaced();
        assert!(compiled.messages.is_empty());
        assert!(compiled.finish(3, reported(), &rope) && compiled.messages.is_empty());
        // A location after the end is ignored and does not panic.
        compiled.begin(4);
        let far = CompilerMessage {
            range: 90..99,
            severity: DiagnosticSeverity::ERROR,
            source: "ptxas",
            text: String::new(),
        };
        compiled.edited(&rope, &TextEdit { range: 0..1, text: String::new() });
        compiled.finish(4, vec![far], &rope);
    }
}
