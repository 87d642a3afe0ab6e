//! One text of the product, as it is printed.

/// A text and the line of its file that it begins in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) line: usize,
    pub(super) text: String,
}
