//! `workspace/didChangeWorkspaceFolders`.

use crate::server::handlers::kind::Mutation;
use crate::server::session::Session;
use crate::server::transport::stale::StaleDisplay;
use crate::server::transport::uris::file_path;
use tower_lsp_server::ls_types::{DidChangeWorkspaceFoldersParams, WorkspaceFolder};

pub(in crate::server) struct DidChangeWorkspaceFoldersNotification;

impl Mutation for DidChangeWorkspaceFoldersNotification {
    type Params = DidChangeWorkspaceFoldersParams;

    fn apply(session: &Session, params: Self::Params) {
        let paths = |folders: Vec<WorkspaceFolder>| {
            folders.iter().filter_map(|folder| file_path(&folder.uri)).collect::<Vec<_>>()
        };
        session.workspace.change_folders(&paths(params.event.removed), paths(params.event.added));
        session.documents.recheck();
        session.documents.refresh(StaleDisplay::ALL);
    }
}
