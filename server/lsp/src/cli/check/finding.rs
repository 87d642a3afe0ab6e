//! Diagnostics with locations in lines and columns that count from 1.

use ide::{Diagnostic, Severity};
use std::ops::Range;

/// One finding in a file.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) file: String,
    pub(crate) start: LineColumn,
    /// Location after the last character.
    pub(crate) end: LineColumn,
    pub(crate) function: Option<String>,
    pub(crate) address: Option<u32>,
    pub(crate) code: &'static str,
    pub(crate) group: &'static str,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    pub(crate) related: Vec<(LineColumn, String)>,
    /// The line on which the finding starts, without its line ending, and the byte range in it to mark.
    pub(crate) excerpt: (String, Range<usize>),
}

/// Findings of a run, ordered by file and location, and the number of files checked.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) findings: Vec<Finding>,
    pub(crate) files_checked: usize,
}

/// A location in a text; line and column count from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LineColumn {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// Converts a text's diagnostics to findings with lines and columns.
pub(super) fn locate<'a>(
    file: &'a str,
    text: &'a str,
    diagnostics: Vec<Diagnostic>,
) -> impl Iterator<Item = Finding> + use<'a> {
    let lines = Lines::new(text);
    diagnostics.into_iter().map(move |diagnostic| {
        let Diagnostic { range, code, group, severity, message, related, function, address } = diagnostic;
        let related = related.into_iter().map(|related| (lines.place(related.range.start), related.message));
        Finding {
            file: file.to_owned(),
            start: lines.place(range.start),
            end: lines.place(range.end.max(range.start)),
            function,
            address,
            code,
            group,
            severity,
            message,
            related: related.collect(),
            excerpt: lines.excerpt(range),
        }
    })
}

/// A text and the byte offset at which each of its lines starts.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let after_breaks =
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(index, _)| index + 1);
        Self { text, starts: std::iter::once(0).chain(after_breaks).collect() }
    }

    fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) - 1
    }

    /// Returns a line without its line ending. `line` counts from 0.
    fn line(&self, line: usize) -> &'a str {
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[self.starts[line]..end].trim_end_matches(['\n', '\r'])
    }

    fn place(&self, byte: usize) -> LineColumn {
        let byte = self.text.floor_char_boundary(byte);
        let line = self.line_of(byte);
        let column = self.text[self.starts[line]..byte].chars().count();
        LineColumn { line: line as u32 + 1, column: column as u32 + 1 }
    }

    fn excerpt(&self, range: Range<usize>) -> (String, Range<usize>) {
        let start = self.text.floor_char_boundary(range.start);
        let line = self.line_of(start);
        let text = self.line(line);
        let within = |byte: usize| text.floor_char_boundary(byte.saturating_sub(self.starts[line]));
        (text.to_owned(), within(start)..within(range.end.max(start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(text: &str, range: Range<usize>) -> (LineColumn, LineColumn, String) {
        let diagnostic = Diagnostic {
            range,
            code: "syntax-error",
            group: "syntax",
            severity: Severity::Error,
            message: String::new(),
            related: vec![],
            function: None,
            address: None,
        };
        let finding = locate("f", text, vec![diagnostic]).next().unwrap();
        (finding.start, finding.end, finding.excerpt.0[finding.excerpt.1].to_owned())
    }

    fn place(line: u32, column: u32) -> LineColumn {
        LineColumn { line, column }
    }

    #[test]
    fn columns_count_characters() {
        let text = "a\r\n/* é */ FOO ;\r\n";
        let start = text.find("FOO").unwrap();
        assert_eq!(located(text, start..start + 3), (place(2, 9), place(2, 12), "FOO".into()));
    }

    #[test]
    fn a_range_over_lines_is_shown_to_the_end_of_its_first() {
        assert_eq!(located("ab\ncd\n", 1..4), (place(1, 2), place(2, 2), "b".into()));
    }

    #[test]
    fn no_range_is_out_of_reach() {
        assert_eq!(located("", 0..0), (place(1, 1), place(1, 1), String::new()));
        assert_eq!(located("é", 1..9), (place(1, 1), place(1, 2), "é".into()));
        assert_eq!(located("a\n", 2..2), (place(2, 1), place(2, 1), String::new()));
    }
}
