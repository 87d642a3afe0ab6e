//! The server's log, for debugging.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use tower_lsp_server::ls_types::MessageType;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::time::Uptime;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// Appends all later trace events to a file, one line each, with the seconds since the start. Errors of later writes
/// are ignored.
pub(crate) fn append_to(path: &Path) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "it is written, not read")]
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(Mutex::new(file))
        .with_timer(Uptime::default())
        .with_ansi(false)
        .with_target(false)
        .log_internal_errors(false);
    // Excludes trace events of libraries.
    let own = Targets::new().with_target(env!("CARGO_CRATE_NAME"), LevelFilter::TRACE);
    tracing_subscriber::registry().with(lines.with_filter(own)).try_init().map_err(io::Error::other)
}

/// Writes a line of this level to stderr and to the log.
pub(crate) fn write(level: MessageType, text: &str) {
    drop(writeln!(io::stderr(), "warplens: {text}"));
    match level {
        MessageType::ERROR => tracing::error!("{text}"),
        MessageType::WARNING => tracing::warn!("{text}"),
        MessageType::INFO => tracing::info!("{text}"),
        _ => tracing::debug!("{text}"),
    }
}
