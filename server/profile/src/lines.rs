//! Lines of texts that may be truncated, and the CSV rows in these texts.

/// A text without its unterminated last line, which may be incomplete.
pub(super) fn whole_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}

/// Message for a text of this kind if its last line is unterminated; otherwise `None`.
pub(super) fn cut(kind: &str, text: &str) -> Option<String> {
    (whole_lines(text).len() < text.len()).then(|| ends(kind, text))
}

/// Message for a text that ends too early.
pub(super) fn ends(kind: &str, text: &str) -> String {
    format!("the {kind} is truncated at line {}", text.lines().count())
}

/// The CSV rows of a text, up to the first row that cannot be read. Rows may differ in length.
pub(super) fn records(text: &str) -> impl Iterator<Item = csv::StringRecord> {
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    reader.into_records().map_while(Result::ok)
}
