//! `textDocument/didOpen`.

use crate::server::session::Session;
use tower_lsp_server::ls_types::DidOpenTextDocumentParams;

pub(in crate::server) fn handle(session: &Session, params: DidOpenTextDocumentParams) {
    let document = params.text_document;
    session.open(document.uri, document.version, &document.language_id, &document.text);
}
