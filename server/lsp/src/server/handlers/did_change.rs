//! `textDocument/didChange`.

use crate::server::handlers::kind::Mutation;
use crate::server::session::Session;
use tower_lsp_server::ls_types::DidChangeTextDocumentParams;

pub(in crate::server) struct DidChangeNotification;

impl Mutation for DidChangeNotification {
    type Params = DidChangeTextDocumentParams;

    fn apply(session: &Session, params: Self::Params) {
        let (document, changes) = (params.text_document, params.content_changes);
        if session.workspace.has_open(&document.uri) {
            session.workspace.change_launch_file(&document.uri, document.version, changes);
            return;
        }
        let folders = session.workspace.lock();
        let folder = folders.folder_name(&document.uri);
        session.documents.change(&document.uri, document.version, changes, folder.as_deref());
    }
}
