//! `workspace/didChangeWatchedFiles`.

use crate::server::handlers::kind::Mutation;
use crate::server::session::Session;
use crate::server::transport::uris::file_path;
use tower_lsp_server::ls_types::{DidChangeWatchedFilesParams, Uri};

pub(in crate::server) struct DidChangeWatchedFilesNotification;

impl Mutation for DidChangeWatchedFilesNotification {
    type Params = DidChangeWatchedFilesParams;

    fn apply(session: &Session, params: Self::Params) {
        let (launch_files, others): (Vec<Uri>, Vec<Uri>) = params
            .changes
            .into_iter()
            .map(|change| change.uri)
            .partition(|uri| session.workspace.is_launch_file(uri));
        if !launch_files.is_empty() {
            session.workspace.read_launches();
        }
        session.listings.files_changed(others.iter().filter_map(file_path).collect());
    }
}
