//! A run of the vendor's tools for a document, of which there is one at a time.

use crate::server::session::Session;
use ide::Cancel;
use tower_lsp_server::ls_types::Uri;

/// Stops the tools when it is dropped, which the transport does to a cancelled request.
pub(crate) struct ToolWork {
    session: Session,
    uri: Uri,
    cancel: Cancel,
}

impl ToolWork {
    /// A second run for the same document ends the first.
    pub(crate) fn begin(session: &Session, uri: &Uri) -> Self {
        let cancel = Cancel::default();
        if let Some(earlier) = session.lock().tool_runs.insert(uri.clone(), cancel.clone()) {
            earlier.cancel();
        }
        Self { session: session.clone(), uri: uri.clone(), cancel }
    }

    /// Set when the run is to end.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }
}

impl Drop for ToolWork {
    fn drop(&mut self) {
        self.cancel.cancel();
        let mut state = self.session.lock();
        // A later run's token is not cancelled; it stays.
        if state.tool_runs.get(&self.uri).is_some_and(Cancel::is_cancelled) {
            state.tool_runs.remove(&self.uri);
        }
    }
}
