//! The messages that the server sends without a request.

use tower_lsp_server::ls_types::{MessageType, PublishDiagnosticsParams};

pub(crate) enum Outgoing {
    /// Findings of a document, computed when they are sent; `None` if the client already shows them or if
    /// they are outdated.
    Findings(Box<dyn FnOnce() -> Option<PublishDiagnosticsParams> + Send>),
    /// `window/showMessage`, and the same line in the log.
    Message(MessageType, String),
    /// `window/logMessage`.
    Log(MessageType, String),
    /// `$/logTrace`.
    Trace { message: String, verbose: Option<String> },
}
