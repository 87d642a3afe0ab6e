//! Plain tables of metrics and events: the GPU, a kernel, then one line per figure.

use super::figures::{device, launch_of, metric};
use crate::launch::Launch;
use std::sync::Arc;

/// True if a line is the title row of a plain table.
pub(super) fn is_head(line: &str) -> bool {
    line.starts_with("Invocations ") && (line.contains("Metric Name") || line.contains("Event Name"))
}

/// The launches of all tables of a log.
pub(super) fn read(text: &str) -> Vec<Launch> {
    let mut launches: Vec<Launch> = Vec::new();
    // Number of columns after the average: zero for metrics, one for events.
    let mut from_end = None;
    let (mut gpu, mut kernel) = ((None, None), None);
    for line in text.lines() {
        let words = line.trim();
        if is_head(line) {
            from_end = Some(usize::from(line.trim_end().ends_with("Total")));
            (gpu, kernel) = ((None, None), None);
        } else if let Some(name) = words.strip_prefix("Device \"") {
            gpu = device(name);
        } else if let Some(name) = words.strip_prefix("Kernel: ") {
            kernel = Some(name);
        } else if words.is_empty() || words.starts_with("==") {
            from_end = from_end.filter(|_| !words.starts_with("=="));
        } else if let (Some(from_end), Some(kernel)) = (from_end, kernel)
            && let Some((invocations, name, figure)) = figure(words, from_end)
        {
            let (device_name, device) = gpu.clone();
            let launch = launch_of(&mut launches, kernel, device_name, device, Some(invocations));
            launch.metrics.insert(Arc::from(name), metric(figure));
        }
    }
    launches
}

/// Number of launches, metric name and average of a line; `None` if the line is not a row of figures.
fn figure(words: &str, from_end: usize) -> Option<(u64, &str, &str)> {
    let (invocations, rest) = words.split_once(char::is_whitespace)?;
    let name = rest.split_whitespace().next()?;
    // A cell may contain a blank: `Idle (0)`. Two blanks separate columns, and a complete line has five
    // columns.
    let cells: Vec<&str> = rest.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    let figure = cells.get(4 - from_end).filter(|_| cells.len() == 5)?;
    Some((invocations.parse().ok()?, name, figure))
}
