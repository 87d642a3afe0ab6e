//! `textDocument/documentSymbol`.

use super::symbol::entry;
use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::position::PositionConverter;
use ide::Symbol;
use tower_lsp_server::ls_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, OneOf, ServerCapabilities,
    SymbolInformation, SymbolKind, Uri,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.document_symbol_provider = Some(OneOf::Left(true));
}

/// Maximum number of entries in an outline. If there are more, entries within kernels are dropped first. An entry
/// takes about 5 KB in an answer.
const MAX_SYMBOLS: usize = 60_000; // limit: 300 MB of entries

pub(in crate::server) struct DocumentSymbolRequest;

impl Snapshot for DocumentSymbolRequest {
    type Params = DocumentSymbolParams;
    type Reply = Option<DocumentSymbolResponse>;

    fn reply(view: &View, _: &Self::Params) -> Result<Self::Reply, NoReply> {
        let symbols = limited(view.analysis.symbols()?);
        let mut places = view.places();
        if view.features.symbol_tree {
            let tree = symbols.into_iter().map(|symbol| node(symbol, &mut places)).collect();
            return Ok(Some(DocumentSymbolResponse::Nested(tree)));
        }
        let mut list = Vec::new();
        flatten(symbols, None, &view.uri, &mut places, &mut list);
        Ok(Some(DocumentSymbolResponse::Flat(list)))
    }

    fn without_document() -> Self::Reply {
        Some(DocumentSymbolResponse::Flat(Vec::new()))
    }
}

/// Reduces an outline to [`MAX_SYMBOLS`] entries.
fn limited(mut symbols: Vec<Symbol>) -> Vec<Symbol> {
    let mut left = MAX_SYMBOLS.saturating_sub(symbols.len());
    symbols.truncate(MAX_SYMBOLS);
    for symbol in &mut symbols {
        let inner = count(&symbol.children);
        if inner > left {
            symbol.children.clear();
        }
        left -= inner.min(left);
    }
    symbols
}

fn count(symbols: &[Symbol]) -> usize {
    symbols.iter().map(|symbol| 1 + count(&symbol.children)).sum()
}

#[expect(deprecated, reason = "the field `deprecated` is deprecated, but has to be filled")]
fn node(symbol: Symbol, places: &mut PositionConverter<'_>) -> DocumentSymbol {
    let range = places.range(&symbol.range);
    let selection_range = places.range(&symbol.selection);
    let children: Vec<_> = symbol.children.into_iter().map(|child| node(child, places)).collect();
    DocumentSymbol {
        name: symbol.name,
        detail: (!symbol.detail.is_empty()).then_some(symbol.detail),
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children: (!children.is_empty()).then_some(children),
    }
}

fn flatten(
    symbols: Vec<Symbol>,
    container: Option<&str>,
    uri: &Uri,
    places: &mut PositionConverter<'_>,
    list: &mut Vec<SymbolInformation>,
) {
    for symbol in symbols {
        let location = Location { uri: uri.clone(), range: places.range(&symbol.range) };
        list.push(entry(symbol.name.clone(), kind(symbol.kind), location, container.map(str::to_owned)));
        flatten(symbol.children, Some(&symbol.name), uri, places, list);
    }
}

const fn kind(kind: ide::SymbolKind) -> SymbolKind {
    match kind {
        ide::SymbolKind::Kernel => SymbolKind::FUNCTION,
        ide::SymbolKind::Function => SymbolKind::METHOD,
        ide::SymbolKind::Variable => SymbolKind::VARIABLE,
        ide::SymbolKind::Parameter => SymbolKind::CONSTANT,
        ide::SymbolKind::Block => SymbolKind::NAMESPACE,
        ide::SymbolKind::Label => SymbolKind::KEY,
        ide::SymbolKind::Loop => SymbolKind::ARRAY,
        ide::SymbolKind::Barrier => SymbolKind::EVENT,
        ide::SymbolKind::Section => SymbolKind::MODULE,
    }
}
