//! `textDocument/didClose`.

use crate::server::session::Session;
use tower_lsp_server::ls_types::DidCloseTextDocumentParams;

pub(in crate::server) fn handle(session: &Session, params: DidCloseTextDocumentParams) {
    session.close(params.text_document.uri);
}
