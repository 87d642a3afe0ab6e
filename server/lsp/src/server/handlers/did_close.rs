//! `textDocument/didClose`.

use crate::server::handlers::kind::Mutation;
use crate::server::session::Session;
use crate::server::transport::uris::file_path;
use tower_lsp_server::ls_types::DidCloseTextDocumentParams;

pub(in crate::server) struct DidCloseNotification;

impl Mutation for DidCloseNotification {
    type Params = DidCloseTextDocumentParams;

    fn apply(session: &Session, params: Self::Params) {
        let uri = params.text_document.uri;
        if !session.workspace.close_launch_file(&uri) && session.documents.close(&uri) {
            session.listings.files_changed(file_path(&uri).into_iter().collect());
        }
    }
}
