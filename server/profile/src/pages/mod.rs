//! Pages of Nsight Compute, as `ncu --import x.ncu-rep --page raw --csv` and its like print them.

mod details;
mod head;
mod raw;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod titles;

use crate::{Error, Profile, Value, whole_lines};

/// Reads a page of a kind that is known. What the profiler says before a table is passed over.
pub(super) fn read(text: &str) -> Result<Profile, Error> {
    if text::is_page(text) {
        return Ok(text::read(text));
    }
    let before = text.lines().position(|line| line.starts_with('"')).ok_or(Error::Unknown)?;
    let table: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    let table = &text[table..];
    let titles = table.lines().next().unwrap_or_default();
    let starts = |words: &[&str]| words.iter().any(|word| titles.starts_with(word));
    if starts(&["\"Kernel Name\"", "\"File Path\"", "\"Function Name\""]) {
        Ok(source::read(table))
    } else if starts(&["\"File Name\""]) {
        Err(Error::SourceAlone)
    } else if titles.contains("\"Metric Value\"") {
        details::read(table).ok_or(Error::Unknown)
    } else {
        raw::read(table).ok_or(Error::Unknown)
    }
}

/// The rows of a table, each with as many fields as it has, without a last one that does not end.
fn rows(text: &str) -> impl Iterator<Item = csv::StringRecord> {
    let whole = whole_lines(text).as_bytes();
    let reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(whole);
    reader.into_records().map_while(Result::ok)
}

/// Why a table is not whole, if it is not: its last line does not end, or a field does not.
fn cut(text: &str) -> Option<String> {
    let whole = whole_lines(text);
    let is_whole = whole.len() == text.len() && whole.matches('"').count().is_multiple_of(2);
    (!is_whole).then(|| format!("the table ends in line {}", text.lines().count()))
}

/// A value as pages print it: thousands are set apart by commas. `None` where there is none.
fn value(text: &str) -> Option<Value> {
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
