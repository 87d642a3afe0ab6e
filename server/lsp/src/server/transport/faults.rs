//! Fault injection for tests, controlled by `initializationOptions.warplensTest`. Without that option, it does nothing.
//!
//! `panicOn`, `panicInFindingsOn` and `slowOn` are texts. Each applies to the documents that contain its text.
//! `panicOn` makes every request panic. `panicInFindingsOn` makes the computation of findings panic. `slowOn` delays
//! each request by `slowMillis` milliseconds, unless the request is cancelled.

use crate::server::transport::job_limits::Urgency;
use ide::{Cancel, Cancelled};
use ropey::Rope;
use serde::Deserialize;
use std::time::{Duration, Instant};

/// Interval at which an artificially slow job checks whether it is cancelled.
const STEP: Duration = Duration::from_millis(2);

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Faults {
    panic_on: Option<String>,
    panic_in_findings_on: Option<String>,
    slow_on: Option<String>,
    slow_millis: u64,
}

impl Faults {
    pub(crate) fn read(options: &serde_json::Value) -> Self {
        options.get("warplensTest").and_then(|faults| Self::deserialize(faults).ok()).unwrap_or_default()
    }

    /// Causes the configured faults. Must be called on the worker's thread before it queries the analysis.
    pub(crate) fn inject(&self, urgency: Urgency, text: &Rope, cancel: &Cancel) -> Result<(), Cancelled> {
        let marked =
            |mark: &Option<String>| mark.as_ref().is_some_and(|mark| text.to_string().contains(mark));
        let panic_on = match urgency {
            Urgency::Idle => return Ok(()),
            Urgency::Request | Urgency::Following => &self.panic_on,
            Urgency::Background => &self.panic_in_findings_on,
        };
        assert!(!marked(panic_on), "a test asked for this panic");
        if urgency == Urgency::Request && marked(&self.slow_on) {
            let end = Instant::now() + Duration::from_millis(self.slow_millis);
            while Instant::now() < end {
                cancel.check()?;
                std::thread::sleep(STEP);
            }
        }
        Ok(())
    }
}
