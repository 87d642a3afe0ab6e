//! The trace of messages, in the log and for a client that asks.

use super::outgoing::Outgoing;
use super::session::Session;
use std::time::Duration;
use tower_lsp_server::ls_types::TraceValue;

impl Session {
    pub(crate) fn trace_to(&self, value: TraceValue) {
        self.log().trace_to(value);
    }

    /// Whether anybody looks at what [`Self::trace`] says.
    pub(crate) fn is_traced(&self) -> bool {
        self.log().is_read()
    }

    /// Says that a message was handled.
    pub(crate) fn trace(&self, method: &str, id: Option<&str>, time: Duration, how: &str) {
        let text = match id {
            Some(_) => format!("{method} answered in {:.1} ms", time.as_secs_f64() * 1e3),
            None => format!("{method} taken in {:.1} ms", time.as_secs_f64() * 1e3),
        };
        let verbose = format!("id {}, {how}", id.unwrap_or("none"));
        let log = self.log();
        log.write("trace", &format!("{text} ({verbose})"));
        let depth = log.depth();
        if depth > 0 {
            self.say(Outgoing::Trace { message: text, verbose: (depth > 1).then_some(verbose) });
        }
    }
}
