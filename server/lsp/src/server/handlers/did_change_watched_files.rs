//! `workspace/didChangeWatchedFiles`.

use crate::server::workspace::root::file_path;
use crate::server::session::Session;
use tower_lsp_server::ls_types::{DidChangeWatchedFilesParams, Uri};

pub(in crate::server) fn handle(session: &Session, params: DidChangeWatchedFilesParams) {
    let (launch_files, others): (Vec<Uri>, Vec<Uri>) =
        params.changes.into_iter().map(|change| change.uri).partition(|uri| session.is_launch_file(uri));
    if !launch_files.is_empty() {
        session.read_launches();
    }
    session.files_changed(others.iter().filter_map(file_path).collect());
}
