//! Answers of the engine, in the form that a mark has.

use std::ops::Range;

/// One answer about a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Bytes in the text that the engine saw.
    pub range: Range<usize>,
    /// Kind of the answer: `hint[latency]`, `error[syntax-error]`, `fold[region]`.
    pub tag: String,
    /// One or several lines.
    pub text: String,
    pub place: MarkedPart,
}

/// Part of the line that an answer's mark points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkedPart {
    /// The answer's own range, or what of it stands on its first line.
    Range,
    /// The line as a whole.
    Line,
}

impl Answer {
    /// An answer about a range of bytes; an empty range stands before its byte.
    pub fn at(range: Range<usize>, tag: impl Into<String>, text: impl Into<String>) -> Self {
        Self { range, tag: tag.into(), text: text.into(), place: MarkedPart::Range }
    }

    /// An answer about the line that holds the first byte of the range.
    pub fn on_line(range: Range<usize>, tag: impl Into<String>, text: impl Into<String>) -> Self {
        Self { range, tag: tag.into(), text: text.into(), place: MarkedPart::Line }
    }
}
