//! The trace of messages, in the log and for a client that requests `$/logTrace`.

use crate::server::transport::connection::Connection;
use crate::server::transport::outgoing::Outgoing;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tower_lsp_server::ls_types::TraceValue;
use tracing::Level;

/// Trace depth that the client requests: off, messages, verbose.
#[derive(Debug, Default)]
pub(crate) struct TraceDepth(AtomicU8);

const MESSAGES: u8 = 1; // Source: Language Server Protocol, TraceValue
const VERBOSE: u8 = 2; // Source: Language Server Protocol, TraceValue

impl Connection {
    pub(crate) fn trace_to(&self, value: TraceValue) {
        let depth = match value {
            TraceValue::Off => 0,
            TraceValue::Messages => MESSAGES,
            TraceValue::Verbose => VERBOSE,
        };
        self.trace_depth().0.store(depth, Ordering::Relaxed);
    }

    /// True if the reports of [`Self::trace`] are shown or logged.
    pub(crate) fn is_traced(&self) -> bool {
        tracing::enabled!(Level::TRACE) || self.trace_depth().0.load(Ordering::Relaxed) > 0
    }

    /// Reports that a message was handled, and the time it took.
    pub(crate) fn trace(&self, method: &str, id: Option<&str>, time: Duration, how: &str) {
        let done = if id.is_some() { "answered" } else { "taken" };
        let text = format!("{method} {done} in {:.1} ms", time.as_secs_f64() * 1e3);
        let verbose = format!("id {}, {how}", id.unwrap_or("none"));
        tracing::trace!("{text} ({verbose})");
        let depth = self.trace_depth().0.load(Ordering::Relaxed);
        if depth >= MESSAGES {
            self.send(Outgoing::Trace { message: text, verbose: (depth >= VERBOSE).then_some(verbose) });
        }
    }
}
