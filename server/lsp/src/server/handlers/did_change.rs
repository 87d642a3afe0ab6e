//! `textDocument/didChange`.

use crate::server::session::Session;
use tower_lsp_server::ls_types::DidChangeTextDocumentParams;

pub(in crate::server) fn handle(session: &Session, params: DidChangeTextDocumentParams) {
    let document = params.text_document;
    session.change(&document.uri, document.version, params.content_changes);
}
