//! `warplens/codeChanged`: notifies the client that a document has new code, so the client can refresh its
//! views.

use crate::server::transport::connection::Connection;
use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::{TextDocumentIdentifier, Uri};

enum CodeChanged {}

impl Notification for CodeChanged {
    type Params = CodeChangedParams;
    const METHOD: &'static str = "warplens/codeChanged";
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CodeChangedParams {
    text_document: TextDocumentIdentifier,
}

/// Notifies the client that a document has new code, if the client supports this notification.
pub(super) fn notify(connection: &Connection, uri: &Uri) {
    if !connection.features().code_changes {
        return;
    }
    let client = connection.client();
    let changed = CodeChangedParams { text_document: TextDocumentIdentifier { uri: uri.clone() } };
    tokio::spawn(async move { client.send_notification::<CodeChanged>(changed).await });
}
