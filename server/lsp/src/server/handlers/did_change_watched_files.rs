//! `workspace/didChangeWatchedFiles`.

use crate::server::session::Session;
use tower_lsp_server::ls_types::DidChangeWatchedFilesParams;

pub(in crate::server) fn handle(session: &Session, params: DidChangeWatchedFilesParams) {
    if params.changes.into_iter().any(|change| session.is_launch_file(&change.uri)) {
        session.reread_launches();
    }
}
