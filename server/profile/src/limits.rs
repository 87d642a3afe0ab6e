//! Limits for the data of one file, because data that is small in the file may take much memory.

/// limit: launches per file. The longest profiled runs have some thousand launches. A trace has more.
pub(crate) const MOST_LAUNCHES: usize = 200_000;

/// limit: metrics of all launches of a file. A thousand launches have two million metrics.
pub(crate) const MOST_METRICS: usize = 4_000_000;

/// limit: columns per page. A full set of metrics has some thousand columns.
pub(crate) const MOST_COLUMNS: usize = 50_000;

/// limit: repeated fields of one message of a report, such as a metric's values by instruction.
pub(crate) const MOST_PARTS: usize = 4_000_000;

/// limit: instructions and their counts of all launches of a report, which all take memory.
pub(crate) const MOST_COUNTS: usize = 32_000_000;

/// Message for a file that exceeds a limit.
pub(crate) fn too_many(most: usize, of: &str) -> String {
    format!("only the first {most} {of} are read")
}

/// Number of launches and metrics read so far, checked against the limits.
#[derive(Debug, Default)]
pub(crate) struct Room {
    launches: usize,
    metrics: usize,
    /// Message for an exceeded limit; `None` while all limits are met.
    pub(crate) over: Option<String>,
}

impl Room {
    /// Counts a launch. Returns false once a limit is exceeded, and for all later launches.
    pub(crate) fn take(&mut self, metrics: usize) -> bool {
        self.launches += 1;
        self.add(metrics)
    }

    /// Counts metrics of the current launch. Returns false once a limit is exceeded.
    pub(crate) fn add(&mut self, metrics: usize) -> bool {
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
