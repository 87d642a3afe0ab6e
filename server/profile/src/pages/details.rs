//! The details page as CSV: one row per figure of each launch.

use super::head::Head;
use super::named;
use super::table::{cut, rows, value};
use crate::launch::{Launch, Profile};
use crate::limits::ReadLimits;
use std::sync::Arc;

/// Reads the page; `None` if columns of the figures are missing.
pub(super) fn read(text: &str) -> Option<Profile> {
    let mut rows = rows(text);
    let titles: Vec<Arc<str>> = rows.next()?.iter().map(Arc::from).collect();
    let head = Head::from_titles(&titles)?;
    let column = |title: &str| titles.iter().position(|own| &**own == title);
    let (section, title, number) = (column("Section Name")?, column("Metric Name")?, column("Metric Value")?);
    let (id, unit) = (column("ID")?, column("Metric Unit"));
    let mut launches: Vec<Launch> = Vec::new();
    let mut last: Option<String> = None;
    let mut room = ReadLimits::default();
    for row in rows {
        let Some(own) = row.get(id) else { continue };
        if last.as_deref() != Some(own) {
            if !room.take(0) {
                break;
            }
            last = Some(own.to_owned());
            launches.push(head.launch(&row));
        }
        // Rows of rules have no figure.
        let Some(name) = row.get(title).filter(|name| !name.is_empty()) else { continue };
        // The file was truncated inside an incomplete row.
        let (Some(number), Some(launch)) = (row.get(number), launches.last_mut()) else { continue };
        let unit = unit.and_then(|unit| row.get(unit)).unwrap_or_default();
        if !room.add(1) {
            break;
        }
        let section = row.get(section).unwrap_or_default().into();
        named::add(launch, &section, name, unit, value(number));
    }
    Some(Profile { launches, cut: room.over.or_else(|| cut(text)) })
}
