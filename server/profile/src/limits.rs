//! What is kept of one file at most: a small file may repeat what takes little room in it and much in memory.

/// limit: launches of a file. Those of the longest runs that are profiled are some thousands; a trace has more.
pub(crate) const MOST_LAUNCHES: usize = 200_000;

/// limit: metrics of all launches of a file. A thousand launches have two million.
pub(crate) const MOST_METRICS: usize = 4_000_000;

/// limit: columns of a page; a full set of metrics has some thousands.
pub(crate) const MOST_COLUMNS: usize = 50_000;

/// limit: repeated parts of one message of a report, such as a metric's values by instruction.
pub(crate) const MOST_PARTS: usize = 4_000_000;

/// limit: instructions and their counts of all launches of a report, as each takes memory.
pub(crate) const MOST_COUNTS: usize = 32_000_000;

/// The words for a file that has more than is read.
pub(crate) fn too_many(most: usize, of: &str) -> String {
    format!("only the first {most} {of} are read")
}

/// Launches that are read one after another, as far as a file may have them.
#[derive(Debug, Default)]
pub(crate) struct Room {
    launches: usize,
    metrics: usize,
    /// What there is too much of; `None` so far.
    pub(crate) over: Option<String>,
}

impl Room {
    /// Takes the room of a launch; false if none is left, and then for all later launches.
    pub(crate) fn take(&mut self, metrics: usize) -> bool {
        self.launches += 1;
        self.metrics = self.metrics.saturating_add(metrics);
        if self.over.is_none() && self.launches > MOST_LAUNCHES {
            self.over = Some(too_many(MOST_LAUNCHES, "launches"));
        }
        if self.over.is_none() && self.metrics > MOST_METRICS {
            self.over = Some(too_many(MOST_METRICS, "metrics"));
        }
        self.over.is_none()
    }
}
