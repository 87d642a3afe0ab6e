//! `warplens/viewText`: the server's copy of a document, for bug reports and tests.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::TextDocumentIdentifier;

#[derive(Debug, Serialize)]
pub(in crate::server) struct Text {
    version: i32,
    text: String,
}

/// Null for a document that is not open. The request needs no analysis, so it is answered even after a panic.
pub(in crate::server) struct ViewTextRequest;

impl Task for ViewTextRequest {
    type Params = TextDocumentIdentifier;
    type Reply = Option<Text>;

    async fn serve(session: &Session, document: Self::Params) -> Result<Self::Reply> {
        let state = session.documents.lock();
        let document = state.by_uri.get(&document.uri);
        Ok(document.map(|document| Text { version: document.version, text: document.text.to_string() }))
    }
}
