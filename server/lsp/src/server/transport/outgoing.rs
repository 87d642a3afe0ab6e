//! The messages that the server sends by itself.

use std::path::PathBuf;
use tower_lsp_server::ls_types::{Diagnostic, MessageType, Uri};

#[derive(Debug)]
pub(crate) enum Outgoing {
    Findings(Findings),
    /// The document is closed, or its findings are.
    Cleared(Uri),
    /// The problems of that folder's launches file may have changed.
    Problems(PathBuf),
    /// `window/showMessage`, and the same line in the log.
    Message(MessageType, String),
    /// `window/logMessage`.
    Log(MessageType, String),
    /// `$/logTrace`.
    Trace {
        message: String,
        verbose: Option<String>,
    },
}

/// The findings of one version of one document.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) uri: Uri,
    pub(crate) opening: u64,
    pub(crate) version: i32,
    pub(crate) diagnostics: Vec<Diagnostic>,
}
