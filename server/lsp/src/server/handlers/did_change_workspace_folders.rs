//! `workspace/didChangeWorkspaceFolders`.

use crate::server::workspace::root::file_path;
use crate::server::session::Session;
use crate::server::transport::stale::Stale;
use tower_lsp_server::ls_types::{DidChangeWorkspaceFoldersParams, WorkspaceFolder};

pub(in crate::server) fn handle(session: &Session, params: DidChangeWorkspaceFoldersParams) {
    let paths = |folders: Vec<WorkspaceFolder>| {
        folders.iter().filter_map(|folder| file_path(&folder.uri)).collect::<Vec<_>>()
    };
    session.change_folders(&paths(params.event.removed), paths(params.event.added));
    session.recheck();
    session.refresh(Stale::ALL);
}
