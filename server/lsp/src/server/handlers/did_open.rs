//! `textDocument/didOpen`.

use crate::server::code::live;
use crate::server::documents::diagnostics;
use crate::server::handlers::kind::Mutation;
use crate::server::session::Session;
use crate::server::workspace::headers;
use tower_lsp_server::ls_types::DidOpenTextDocumentParams;

pub(in crate::server) struct DidOpenNotification;

impl Mutation for DidOpenNotification {
    type Params = DidOpenTextDocumentParams;

    fn apply(session: &Session, params: Self::Params) {
        let document = params.text_document;
        let uri = document.uri;
        if session.workspace.open_launch_file(&uri, document.version, &document.text) {
            return;
        }
        let opened = {
            let folders = session.workspace.lock();
            let folder = folders.folder_name(&uri);
            let (version, language) = (document.version, &document.language_id);
            session.documents.open(&uri, version, language, &document.text, folder.as_deref())
        };
        tokio::spawn(live::follow(session.code.clone(), uri.clone(), opened.opening, opened.changes.clone()));
        let (workspace, source) = (session.workspace.clone(), uri.clone());
        tokio::spawn(headers::follow(workspace, source, opened.opening, opened.changes.clone()));
        let (code, source) = (session.code.clone(), uri.clone());
        tokio::spawn(async move { code.attach_left_code(&source).await });
        session.profiles.may_have_changed();
        if !session.connection.features().pulls_findings {
            tokio::spawn(diagnostics::follow(session.documents.clone(), uri, opened.opening, opened.changes));
        }
    }
}
