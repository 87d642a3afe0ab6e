//! Tables of pages: their rows, their values, and whether they are whole.

use crate::launch::Value;
use crate::lines::whole_lines;

/// The rows of a table, each with as many fields as it has, without a last one that does not end.
pub(super) fn rows(text: &str) -> impl Iterator<Item = csv::StringRecord> {
    let whole = whole_lines(text).as_bytes();
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(whole);
    reader.into_records().map_while(Result::ok)
}

/// Why a table is not whole, if it is not: its last line does not end, or a field does not.
pub(super) fn cut(text: &str) -> Option<String> {
    let whole = whole_lines(text);
    let is_whole = whole.len() == text.len() && whole.matches('"').count().is_multiple_of(2);
    (!is_whole).then(|| format!("the table ends in line {}", text.lines().count()))
}

/// A value as pages print it: thousands are set apart by commas. `None` where there is none.
pub(super) fn value(text: &str) -> Option<Value> {
    if text.is_empty() || text == "no data" || text == "-" {
        return None;
    }
    let digits = text.replace(',', "");
    if let Ok(count) = digits.parse() {
        return Some(Value::Count(count));
    }
    let number = digits.parse().ok().filter(|number: &f64| number.is_finite());
    Some(number.map_or_else(|| Value::Text(text.to_owned()), Value::Number))
}
