//! Answers of the engine, in the form of a mark.

use std::ops::Range;

/// One answer about a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Byte range in the text that the engine saw.
    pub range: Range<usize>,
    /// Tag with the kind of the answer: `hint[latency]`, `error[syntax-error]`, `fold[region]`.
    pub tag: String,
    /// Text of one or several lines.
    pub text: String,
    pub place: MarkedPart,
}

/// Part of the line to which an answer's mark points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkedPart {
    /// The answer's range, or the part of it on its first line.
    Range,
    /// The complete line.
    Line,
}

impl Answer {
    /// An answer about a byte range; an empty range is the position before its byte.
    pub fn at(range: Range<usize>, tag: impl Into<String>, text: impl Into<String>) -> Self {
        Self { range, tag: tag.into(), text: text.into(), place: MarkedPart::Range }
    }

    /// An answer about the line that contains the first byte of the range.
    pub fn on_line(range: Range<usize>, tag: impl Into<String>, text: impl Into<String>) -> Self {
        Self { range, tag: tag.into(), text: text.into(), place: MarkedPart::Line }
    }
}
