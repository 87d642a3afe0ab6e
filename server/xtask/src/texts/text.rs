//! One text of the product.

/// A text, and the line of its file in which it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) line: usize,
    pub(super) text: String,
}
