//! The details page as plain text. For each launch it has a line with the kernel, then tables of figures
//! under section names.

use super::head::{pair, size};
use super::named;
use super::table::value;
use crate::launch::{Kernel, Launch, Profile};
use crate::limits::ReadLimits;
use crate::lines::{cut, whole_lines};
use std::ops::Range;
use std::sync::Arc;

/// True if a line names a section of the page.
pub(super) fn is_head(line: &str) -> bool {
    line.trim_start().starts_with("Section: ")
}

pub(super) fn read(text: &str) -> Profile {
    let mut launches: Vec<Launch> = Vec::new();
    let mut section: Arc<str> = "".into();
    let mut lines = whole_lines(text).lines().peekable();
    let mut columns: Option<Columns> = None;
    let mut room = ReadLimits::default();
    while let Some(line) = lines.next() {
        let words = line.trim();
        if let Some(launch) = launch(words) {
            if !room.take(0) {
                break;
            }
            launches.push(launch);
            columns = None;
        } else if let Some(name) = words.strip_prefix("Section: ") {
            section = name.into();
            columns = None;
        } else if words.starts_with("---") {
            // The titles are between two lines of dashes, and a third line of dashes ends the figures.
            let is_before_titles = lines.peek().is_some_and(|next| next.trim().starts_with("Metric Name"));
            columns = if is_before_titles || columns.is_some() { None } else { Columns::from_dashes(line) };
        } else if let (Some(columns), Some(launch)) = (&columns, launches.last_mut())
            && let Some([title, unit, number]) = metric(words).or_else(|| columns.cells(line))
        {
            if !room.add(1) {
                break;
            }
            named::add(launch, &section, title, unit, value(number));
        }
    }
    Profile { launches, cut: room.over.or_else(|| cut("text", text)) }
}

/// Reads `saxpy(int) (128, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0`.
fn launch(words: &str) -> Option<Launch> {
    let (before, following) = words.split_once(", Context ")?;
    let (before, block) = before.rsplit_once(")x(")?;
    let (kernel, grid) = before.rsplit_once(" (")?;
    let field = |name: &str| following.split(", ").find_map(|part| part.strip_prefix(name));
    Some(Launch {
        kernel: Kernel { mangled: None, demangled: kernel.to_owned() },
        grid: size(&format!("({grid})")),
        block: size(&format!("({block}")),
        device: field("Device ").and_then(|device| device.parse().ok()),
        capability: field("CC ").and_then(pair),
        ..Launch::default()
    })
}

/// The three cells of a metric's line. A name wider than its column shifts the other cells.
fn metric(words: &str) -> Option<[&str; 3]> {
    let (name, rest) = words.split_once(char::is_whitespace)?;
    let (unit, number) = rest.trim().rsplit_once(char::is_whitespace).unwrap_or(("", rest.trim()));
    named::is_metric(name).then(|| [name, unit.trim(), number])
}

/// Byte ranges of a table's three columns, derived from a line of dashes.
struct Columns([Range<usize>; 3]);

impl Columns {
    fn from_dashes(dashes: &str) -> Option<Self> {
        let mut at = 0;
        let mut columns = Vec::new();
        for part in dashes.split(' ') {
            if !part.is_empty() {
                columns.push(at..at + part.len());
            }
            at += part.len() + 1;
        }
        columns.try_into().ok().map(Self)
    }

    /// The texts in the columns of a line; `None` if the line ends before the last column.
    fn cells<'a>(&self, line: &'a str) -> Option<[&'a str; 3]> {
        let [title, unit, number] = &self.0;
        let cell = |range: Range<usize>| line.get(range).map(str::trim);
        let cells = [cell(0..title.end)?, cell(unit.clone())?, cell(number.start..line.len())?];
        (!cells[0].is_empty() && !cells[2].is_empty()).then_some(cells)
    }
}
