//! `workspace/symbol`: kernels and functions of all listings that are open or named by `warplens.toml`.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use crate::server::workspace::listing_index::FoundFunction;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    Location, OneOf, ServerCapabilities, SymbolInformation, SymbolKind, Uri, WorkspaceSymbolParams,
    WorkspaceSymbolResponse,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.workspace_symbol_provider = Some(OneOf::Left(true));
}

/// Maximum number of symbols in an answer.
const MAX: usize = 1000; // limit: a longer list is of no use to a person

pub(in crate::server) struct SymbolRequest;

impl Task for SymbolRequest {
    type Params = WorkspaceSymbolParams;
    type Reply = Option<WorkspaceSymbolResponse>;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let mut uris: Vec<Uri> = session.documents.lock().by_uri.keys().cloned().collect();
        uris.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        let mut found: Vec<(u32, SymbolInformation)> = Vec::new();
        for uri in uris {
            let query = params.query.clone();
            let answer = session.documents.answer(&uri, move |view| {
                let mut places = view.places();
                let symbols = view.analysis.find_symbols(&query)?.into_iter().take(MAX);
                let symbols = symbols.map(|symbol| {
                    let location = Location { uri: view.uri.clone(), range: places.range(&symbol.range) };
                    (symbol.rank, function(symbol.name, symbol.is_kernel, location))
                });
                Ok(symbols.collect::<Vec<_>>())
            });
            // If a document is being edited, the answers for the other documents are still used.
            found.extend(answer.await.ok().flatten().unwrap_or_default());
        }
        let hits = session.listings.search(params.query, MAX).await;
        found.extend(hits.into_iter().map(|hit| {
            let FoundFunction { rank, name, is_kernel, location } = hit;
            (rank, function(name, is_kernel, location))
        }));
        let key = |symbol: &SymbolInformation| symbol.location.range.start;
        found.sort_by(|(rank_a, a), (rank_b, b)| {
            let uris = a.location.uri.as_str().cmp(b.location.uri.as_str());
            rank_a.cmp(rank_b).then(uris).then_with(|| key(a).cmp(&key(b)))
        });
        found.truncate(MAX);
        Ok(Some(WorkspaceSymbolResponse::Flat(found.into_iter().map(|(_, symbol)| symbol).collect())))
    }
}

/// A kernel or another function as an entry of a list.
fn function(name: String, is_kernel: bool, location: Location) -> SymbolInformation {
    let kind = if is_kernel { SymbolKind::FUNCTION } else { SymbolKind::METHOD };
    entry(name, kind, location, None)
}

#[expect(deprecated, reason = "the field `deprecated` is deprecated, but has to be filled")]
pub(super) fn entry(
    name: String,
    kind: SymbolKind,
    location: Location,
    container_name: Option<String>,
) -> SymbolInformation {
    SymbolInformation { name, kind, tags: None, deprecated: None, location, container_name }
}
