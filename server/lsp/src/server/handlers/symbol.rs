//! `workspace/symbol`: kernels and functions of all open listings.

use crate::server::abilities::Abilities;
use crate::server::session::Session;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    Location, OneOf, ServerCapabilities, SymbolInformation, SymbolKind, Uri, WorkspaceSymbolParams,
    WorkspaceSymbolResponse,
};

pub(in crate::server) fn offer(_: &Abilities, offered: &mut ServerCapabilities) {
    offered.workspace_symbol_provider = Some(OneOf::Left(true));
}

/// As many as a list of choices is good for.
const MOST: usize = 1000;

pub(in crate::server) async fn handle(
    session: &Session,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>> {
    let mut uris: Vec<Uri> = session.lock().documents.keys().cloned().collect();
    uris.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
    let mut found: Vec<(u32, SymbolInformation)> = Vec::new();
    for uri in uris {
        let query = params.query.clone();
        let answer = session.answer(&uri, move |view| {
            let mut places = view.places();
            let symbols = view.analysis.find_symbols(&query)?.into_iter().take(MOST);
            let symbols =
                symbols.map(|symbol| (symbol.rank, information(symbol, view.uri.clone(), &mut places)));
            Ok(symbols.collect::<Vec<_>>())
        });
        // One listing that is being changed does not take the others' answers away.
        found.extend(answer.await.ok().flatten().unwrap_or_default());
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.truncate(MOST);
    Ok(Some(WorkspaceSymbolResponse::Flat(found.into_iter().map(|(_, symbol)| symbol).collect())))
}

#[expect(deprecated, reason = "the field `deprecated` is deprecated, but has to be filled")]
fn information(
    symbol: ide::FoundSymbol,
    uri: Uri,
    places: &mut crate::server::position::Places<'_>,
) -> SymbolInformation {
    SymbolInformation {
        name: symbol.name,
        kind: if symbol.is_kernel { SymbolKind::FUNCTION } else { SymbolKind::METHOD },
        tags: None,
        deprecated: None,
        location: Location { uri, range: places.range(&symbol.range) },
        container_name: None,
    }
}
