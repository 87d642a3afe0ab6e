//! `textDocument/selectionRange`.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use tower_lsp_server::ls_types::{
    Range, SelectionRange, SelectionRangeParams, SelectionRangeProviderCapability, ServerCapabilities,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.selection_range_provider = Some(SelectionRangeProviderCapability::Simple(true));
}

/// Answers with one range per position, as the protocol requires. The range is empty if there is nothing to
/// select.
pub(in crate::server) struct SelectionRangeRequest;

impl Snapshot for SelectionRangeRequest {
    type Params = SelectionRangeParams;
    type Reply = Option<Vec<SelectionRange>>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let mut places = view.places();
        let mut answers = Vec::with_capacity(params.positions.len());
        for position in params.positions.iter().copied() {
            let offset = places.offset(position);
            let mut around = None;
            for range in view.analysis.selections(offset)?.iter().rev() {
                around = Some(SelectionRange { range: places.range(range), parent: around.map(Box::new) });
            }
            let nothing = || SelectionRange { range: Range::new(position, position), parent: None };
            answers.push(around.unwrap_or_else(nothing));
        }
        Ok(Some(answers))
    }
}
