//! Lines of texts that may be cut, and rows of csv in them.

/// A text without an unterminated last line, which may be incomplete.
pub(super) fn whole_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}

/// Why a text of such a kind is not whole; `None` where its last line ends.
pub(super) fn cut(kind: &str, text: &str) -> Option<String> {
    (whole_lines(text).len() < text.len()).then(|| ends(kind, text))
}

/// The words for a text that ends too early.
pub(super) fn ends(kind: &str, text: &str) -> String {
    format!("the {kind} is truncated at line {}", text.lines().count())
}

/// The rows of a text as csv, each with as many fields as it has, up to one that can't be read.
pub(super) fn records(text: &str) -> impl Iterator<Item = csv::StringRecord> {
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    reader.into_records().map_while(Result::ok)
}
