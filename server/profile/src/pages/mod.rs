//! Pages of Nsight Compute, as `ncu --import x.ncu-rep --page raw --csv` and its like print them.

mod details;
mod functions;
mod groups;
mod head;
mod raw;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod titles;

use crate::error::Error;
use crate::launch::Profile;

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
