//! Tables of pages: rows, values, and detection of truncation.

use crate::launch::Value;
use crate::lines::{self, records, whole_lines};
use std::borrow::Cow;

/// The rows of a table, without an unterminated last row. Rows may differ in length.
pub(super) fn rows(text: &str) -> impl Iterator<Item = csv::StringRecord> {
    let whole = whole_lines(text);
    let is_open = has_open_field(whole);
    let mut records = records(whole).peekable();
    std::iter::from_fn(move || records.next().filter(|_| !is_open || records.peek().is_some()))
}

/// Message for a truncated table, in which the last line or the last field is unterminated; otherwise `None`.
pub(super) fn cut(text: &str) -> Option<String> {
    lines::cut("table", text).or_else(|| has_open_field(text).then(|| lines::ends("table", text)))
}

/// True if a field is unterminated.
fn has_open_field(text: &str) -> bool {
    !text.bytes().filter(|byte| *byte == b'"').count().is_multiple_of(2)
}

/// Reads a value as printed on pages, with commas between thousands. `None` if the value is missing or not
/// finite.
pub(super) fn value(text: &str) -> Option<Value> {
    if text.is_empty() || text == "no data" || text == "-" {
        return None;
    }
    let digits = if text.contains(',') { Cow::Owned(text.replace(',', "")) } else { Cow::Borrowed(text) };
    if let Ok(count) = digits.parse() {
        return Some(Value::Count(count));
    }
    match digits.parse() {
        Ok(number) => Value::finite(number),
        Err(_) => Some(Value::Text(text.to_owned())),
    }
}
