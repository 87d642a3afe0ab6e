//! `workspace/didChangeWorkspaceFolders`.

use crate::server::session::Session;
use crate::server::settings::Stale;
use crate::server::workspace::file_path;
use tower_lsp_server::ls_types::{DidChangeWorkspaceFoldersParams, WorkspaceFolder};

pub(in crate::server) fn handle(session: &Session, params: DidChangeWorkspaceFoldersParams) {
    let paths = |folders: Vec<WorkspaceFolder>| {
        folders.iter().filter_map(|folder| file_path(&folder.uri)).collect::<Vec<_>>()
    };
    session.change_folders(&paths(params.event.removed), paths(params.event.added));
    session.recheck();
    session.refresh(Stale::ALL);
}
