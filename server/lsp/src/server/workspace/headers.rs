//! Headers of the open CUDA documents, read again after each pause in typing.

use crate::build::KnownSearches;
use crate::server::transport::uris::{file_path, is_written};
use crate::server::workspace::Workspace;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tower_lsp_server::ls_types::Uri;

/// The pause in typing after which headers are read.
const PAUSE: Duration = Duration::from_millis(150);

/// Reads the headers of one document when it is opened and after each pause in typing, until it is closed.
pub(crate) async fn follow(workspace: Workspace, uri: Uri, opening: u64, mut changed: watch::Receiver<()>) {
    let Some(path) = file_path(&uri).filter(|_| is_written(&uri)) else { return };
    let mut searches = KnownSearches::default();
    loop {
        changed.mark_unchanged();
        if let Some(text) = workspace.documents.text_with_headers(&uri, opening) {
            let (folder, stated) = stated_arguments(&workspace, &uri);
            let (store, path) = (workspace.headers.clone(), path.clone());
            let (documents, asked) = (workspace.documents.clone(), uri.clone());
            let mut known = std::mem::take(&mut searches);
            let read = move || {
                let is_closed = || documents.is_closed(&asked, opening);
                let (text, folder) = (text.to_string(), folder.as_deref());
                known.follow(&stated, folder);
                (store.surroundings(&path, &text, folder, &mut known, &is_closed), known)
            };
            // The next pause reads them again if this fails.
            if let Ok((surroundings, known)) = spawn_blocking(read).await {
                searches = known;
                workspace.documents.surround(&uri, opening, surroundings);
            }
        }
        loop {
            if changed.changed().await.is_err() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
            if !changed.has_changed().unwrap_or(false) {
                break;
            }
        }
    }
}

/// The folder around a document, and the arguments for its compiler that the folder's `warplens.toml` states.
fn stated_arguments(workspace: &Workspace, uri: &Uri) -> (Option<PathBuf>, Vec<String>) {
    let folders = workspace.lock();
    let root = folders.root_around(uri);
    let stated = root.and_then(|root| root.launches.as_ref()).map(|file| file.compile.arguments.clone());
    (root.map(|root| root.path.clone()), stated.unwrap_or_default())
}
