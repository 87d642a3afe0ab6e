//! `warplens/selectionCycles`: the cycles of selected lines, for a status bar.

use crate::server::session::Session;
use ide::SelectionCycles;
use serde::Deserialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{Range, TextDocumentIdentifier};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct Params {
    text_document: TextDocumentIdentifier,
    range: Range,
}

/// Null where the document is not open, or the range holds no two instructions of one kernel.
pub(in crate::server) async fn handle(session: &Session, params: Params) -> Result<Option<SelectionCycles>> {
    let answer = session.documents.answer(&params.text_document.uri, move |view| {
        let range = view.places().bytes(params.range);
        view.analysis.selection_cycles(range)
    });
    Ok(answer.await?.flatten())
}
