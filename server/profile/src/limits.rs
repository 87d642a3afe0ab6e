//! Limits for the data of one file, because data that is small in the file may take much memory.

/// Maximum number of launches per file. The longest profiled runs have some thousand launches. A trace has more.
pub(crate) const MAX_LAUNCHES: usize = 200_000; // limit: memory

/// Maximum number of metrics of all launches of a file. A thousand launches have two million metrics.
pub(crate) const MAX_METRICS: usize = 4_000_000; // limit: memory

/// Maximum number of columns per page. A full set of metrics has some thousand columns.
pub(crate) const MAX_COLUMNS: usize = 50_000; // limit: memory

/// Maximum number of repeated fields of one message of a report, such as a metric's values by instruction.
pub(crate) const MAX_PARTS: usize = 4_000_000; // limit: memory

/// Maximum number of instructions and their counts over all launches of a report.
pub(crate) const MAX_COUNTS: usize = 32_000_000; // limit: memory

/// Message for a file that exceeds a limit.
pub(crate) fn too_many(most: usize, of: &str) -> String {
    format!("only the first {most} {of} are read")
}

/// Number of launches and metrics read so far, checked against the limits.
#[derive(Debug, Default)]
pub(crate) struct ReadLimits {
    launches: usize,
    metrics: usize,
    /// Message for an exceeded limit; `None` while all limits are met.
    pub(crate) over: Option<String>,
}

impl ReadLimits {
    /// Counts a launch. Returns false once a limit is exceeded, and for all later launches.
    pub(crate) fn take(&mut self, metrics: usize) -> bool {
        self.launches += 1;
        self.add(metrics)
    }

    /// Counts metrics of the current launch. Returns false once a limit is exceeded.
    pub(crate) fn add(&mut self, metrics: usize) -> bool {
        self.metrics = self.metrics.saturating_add(metrics);
        if self.over.is_none() && self.launches > MAX_LAUNCHES {
            self.over = Some(too_many(MAX_LAUNCHES, "launches"));
        }
        if self.over.is_none() && self.metrics > MAX_METRICS {
            self.over = Some(too_many(MAX_METRICS, "metrics"));
        }
        self.over.is_none()
    }
}
