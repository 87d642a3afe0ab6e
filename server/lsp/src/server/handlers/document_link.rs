//! `textDocument/documentLink`: links from the line information of a listing to source files that exist.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::uris::file_path;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    DocumentLink, DocumentLinkOptions, DocumentLinkParams, ServerCapabilities, Uri,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.document_link_provider = Some(DocumentLinkOptions {
        resolve_provider: Some(false),
        work_done_progress_options: tower_lsp_server::ls_types::WorkDoneProgressOptions::default(),
    });
}

pub(in crate::server) struct DocumentLinkRequest;

impl Task for DocumentLinkRequest {
    type Params = DocumentLinkParams;
    type Reply = Option<Vec<DocumentLink>>;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let uri = params.text_document.uri;
        let listing = file_path(&uri);
        let adjacent = listing.as_deref().and_then(Path::parent).map(Path::to_path_buf);
        let roots = session.workspace.lock().roots.iter().map(|root| root.path.clone()).collect::<Vec<_>>();
        let folders: Vec<PathBuf> = adjacent.into_iter().chain(roots).collect();
        let answer = session.documents.answer(&uri, move |view| {
            let mut places = view.places();
            let mut known: HashMap<String, Option<Uri>> = HashMap::new();
            let mut links = Vec::new();
            for link in view.analysis.source_links()? {
                let file = known.entry(link.path).or_insert_with_key(|path| find(path, &folders));
                if let Some(file) = file {
                    links.push(DocumentLink {
                        range: places.range(&link.range),
                        target: format!("{}#L{}", file.as_str(), link.line).parse().ok(),
                        tooltip: None,
                        data: None,
                    });
                }
            }
            Ok(links)
        });
        Ok(Some(answer.await?.unwrap_or_default()))
    }
}

/// The first existing file with this path: the path itself if it is absolute, otherwise the path relative to
/// the listing's folder or to a workspace folder.
fn find(path: &str, folders: &[PathBuf]) -> Option<Uri> {
    let mut candidates = folders.iter().map(|folder| folder.join(path));
    let found = candidates.find(|candidate| candidate.is_absolute() && candidate.is_file())?;
    Uri::from_file_path(found)
}
