//! CSV tables: metrics and events averaged over the launches of a kernel, and traces with one row per launch.

use super::figures::{device, in_nanoseconds, launch_of, metric};
use crate::launch::{Kernel, Launch};
use crate::limits::ReadLimits;
use crate::lines::records;
use csv::StringRecord;
use std::sync::Arc;

/// True if a line is the title row of a CSV table.
pub(super) fn is_head(line: &str) -> bool {
    let is_figures = line.contains("\"Metric Name\"") && line.contains("\"Invocations\"");
    let is_events = line.contains("\"Event Name\"") && line.contains("\"Invocations\"");
    is_figures || is_events || line.contains("\"Grid X\"") && line.contains("\"Block X\"")
}

/// The launches of all tables of a log.
pub(super) fn read(text: &str, room: &mut ReadLimits) -> Vec<Launch> {
    let mut launches: Vec<Launch> = Vec::new();
    let mut titles: Option<StringRecord> = None;
    let mut units: Option<StringRecord> = None;
    for line in text.lines() {
        if is_head(line) {
            (titles, units) = (row(line), None);
            continue;
        }
        if line.trim().is_empty() || line.starts_with("==") {
            titles = titles.filter(|_| !line.contains("result:"));
            continue;
        }
        let (Some(titles), Some(row)) = (&titles, row(line)) else { continue };
        // The file was truncated inside an incomplete row.
        if row.len() != titles.len() {
            continue;
        }
        let field = |title: &str| titles.iter().position(|own| own == title).and_then(|at| row.get(at));
        if field("Invocations").is_some() {
            average(&field, &mut launches);
        } else if units.is_none() {
            units = Some(row);
        } else if let Some(units) = &units
            && let Some(launch) = traced(titles, units, &row)
        {
            if !room.take(launch.metrics.len()) {
                break;
            }
            launches.push(launch);
        }
    }
    launches
}

fn row(line: &str) -> Option<StringRecord> {
    records(line).next()
}

/// Adds a figure to the launch of its kernel.
fn average<'r>(field: &impl Fn(&str) -> Option<&'r str>, launches: &mut Vec<Launch>) {
    let (Some(kernel), Some(name)) = (field("Kernel"), field("Metric Name").or(field("Event Name"))) else {
        return;
    };
    let (device_name, device) = device(field("Device").unwrap_or_default());
    let averaged = field("Invocations").and_then(|count| count.parse().ok());
    let launch = launch_of(launches, kernel, device_name, device, averaged);
    launch.metrics.insert(Arc::from(name), metric(field("Avg").unwrap_or_default()));
}

/// The launch of a trace row; `None` for a memory copy.
fn traced(titles: &StringRecord, units: &StringRecord, row: &StringRecord) -> Option<Launch> {
    let field = |title: &str| titles.iter().position(|own| own == title).and_then(|at| row.get(at));
    let size = |of: &str| -> Option<[u64; 3]> {
        let axis = |axis: &str| field(&format!("{of} {axis}"))?.parse().ok();
        Some([axis("X")?, axis("Y")?, axis("Z")?])
    };
    let (grid, block) = (size("Grid")?, size("Block")?);
    let (device_name, device) = device(field("Device").unwrap_or_default());
    // The launch number in brackets may follow the name.
    let name = field("Name").or(field("Kernel"))?;
    let kernel = name.rsplit_once(" [").map_or(name, |(kernel, _)| kernel);
    let mut launch = Launch {
        kernel: Kernel { mangled: None, demangled: kernel.to_owned() },
        grid: Some(grid),
        block: Some(block),
        device,
        device_name,
        ..Launch::default()
    };
    for ((title, unit), text) in titles.iter().zip(units).zip(row) {
        let mut own = metric(text);
        let is_figure = own.value.as_ref().is_some_and(|value| value.number().is_some());
        if is_figure && !title.starts_with("Grid ") && !title.starts_with("Block ") && title != "Device" {
            if own.unit.is_none() {
                own.unit = (!unit.is_empty()).then(|| unit.to_owned());
                own = in_nanoseconds(own);
            }
            launch.metrics.insert(Arc::from(title), own);
        }
    }
    Some(launch)
}
