//! Lines of texts that may be cut.

/// A text without a last line that does not end: what stands there may be a part of it.
pub(super) fn whole_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}
