//! `warplens/selectionCycles`: the cycles that selected lines take, for a status bar.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::handlers::of_document::of_document;
use ide::SelectionCycles;
use serde::Deserialize;
use tower_lsp_server::ls_types::{Range, TextDocumentIdentifier};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct SelectionCyclesParams {
    text_document: TextDocumentIdentifier,
    range: Range,
}

of_document! { SelectionCyclesParams: text_document.uri; }

/// Null if the document is not open, or if the range contains fewer than two instructions of one kernel.
pub(in crate::server) struct SelectionCyclesRequest;

impl Snapshot for SelectionCyclesRequest {
    type Params = SelectionCyclesParams;
    type Reply = Option<SelectionCycles>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let range = view.places().bytes(params.range);
        Ok(view.analysis.selection_cycles(range)?)
    }
}
