//! Pages of Nsight Compute, such as the raw page that `ncu --import x.ncu-rep --page raw --csv` prints.

mod details;
mod functions;
mod groups;
mod head;
mod named;
mod raw;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod titles;

use crate::error::Error;
use crate::launch::Profile;

/// Starts of title rows that determine a page's kind.
const OF_SOURCE: [&str; 3] = ["\"Kernel Name\"", "\"File Path\"", "\"Function Name\""];
const OF_SOURCE_ALONE: &str = "\"File Name\"";

/// True if a line is the first line of a page's table or names a section of the page.
pub(super) fn is_head(line: &str) -> bool {
    let is_titles = line.starts_with('"') && line.contains("\"Kernel Name\"");
    is_titles || text::is_head(line) || starts(line, &OF_SOURCE) || line.starts_with(OF_SOURCE_ALONE)
}

/// Reads a page whose first recognised line starts `before` bytes into the text. Other output before a table is
/// skipped.
pub(super) fn read(text: &str, before: usize) -> Result<Profile, Error> {
    let table = text.get(before..).ok_or(Error::Unknown)?;
    let titles = table.lines().next().unwrap_or_default();
    if text::is_head(titles) {
        Ok(text::read(text))
    } else if starts(titles, &OF_SOURCE) {
        Ok(source::read(table))
    } else if titles.starts_with(OF_SOURCE_ALONE) {
        Err(Error::SourceAlone)
    } else if titles.contains("\"Metric Value\"") {
        details::read(table).ok_or(Error::Unknown)
    } else {
        raw::read(table).ok_or(Error::Unknown)
    }
}

fn starts(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| line.starts_with(word))
}
