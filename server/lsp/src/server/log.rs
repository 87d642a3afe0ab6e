//! Log of what the server does, for those who look into it: lines in a file, and `$/logTrace` for a client that asks.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
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

    /// Sets the depth of the trace that the client wants.
    pub(super) fn trace_to(&self, value: TraceValue) {
        self.depth.store(depth(value), Ordering::Relaxed);
    }

    /// Returns the depth of the trace that the client wants; see [`depth`].
    pub(super) fn depth(&self) -> u8 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Whether anybody looks at what is traced.
    pub(super) fn is_read(&self) -> bool {
        self.file.is_some() || self.depth() > 0
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
