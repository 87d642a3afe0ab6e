//! Log of what the server does, for those who look into it: lines in a file, and `$/logTrace` for a client that asks.

use super::outbox::Outgoing;
use super::session::Session;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tower_lsp_server::ls_types::{MessageType, TraceValue};

#[derive(Debug)]
pub(crate) struct Log {
    start: Instant,
    file: Option<Mutex<File>>,
    /// Depth of the trace that the client wants: see [`depth`].
    depth: AtomicU8,
}

impl Log {
    /// Appends to a file, if one is named.
    pub(crate) fn to_file(path: Option<&Path>) -> io::Result<Self> {
        let file = match path {
            #[expect(clippy::disallowed_methods, reason = "it is written, not read")]
            Some(path) => Some(Mutex::new(OpenOptions::new().create(true).append(true).open(path)?)),
            None => None,
        };
        Ok(Self { start: Instant::now(), file, depth: AtomicU8::new(0) })
    }

    /// One line with the seconds since the start. A file that cannot be written to is left alone.
    pub(crate) fn write(&self, level: &str, text: &str) {
        let Some(file) = &self.file else { return };
        let seconds = self.start.elapsed().as_secs_f64();
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        drop(writeln!(file, "[{seconds:10.3} s] {level}: {text}"));
    }
}

/// Off, messages, verbose.
const fn depth(value: TraceValue) -> u8 {
    match value {
        TraceValue::Off => 0,
        TraceValue::Messages => 1,
        TraceValue::Verbose => 2,
    }
}

/// The word of a level in the log.
pub(crate) fn level_name(level: MessageType) -> &'static str {
    match level {
        MessageType::ERROR => "error",
        MessageType::WARNING => "warning",
        MessageType::INFO => "info",
        _ => "log",
    }
}

impl Session {
    pub(crate) fn trace_to(&self, value: TraceValue) {
        self.log().depth.store(depth(value), Ordering::Relaxed);
    }

    /// Whether anybody looks at what [`Self::trace`] says.
    pub(crate) fn is_traced(&self) -> bool {
        let log = self.log();
        log.file.is_some() || log.depth.load(Ordering::Relaxed) > 0
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
        let depth = log.depth.load(Ordering::Relaxed);
        if depth > 0 {
            self.say(Outgoing::Trace { message: text, verbose: (depth > 1).then_some(verbose) });
        }
    }
}
