//! `textDocument/rangeFormatting`.

use super::edits::format_edits;
use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use tower_lsp_server::ls_types::{DocumentRangeFormattingParams, OneOf, ServerCapabilities, TextEdit};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.document_range_formatting_provider = Some(OneOf::Left(true));
}

pub(in crate::server) struct RangeFormattingRequest;

impl Snapshot for RangeFormattingRequest {
    type Params = DocumentRangeFormattingParams;
    type Reply = Option<Vec<TextEdit>>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let bytes = view.places().bytes(params.range);
        Ok(Some(format_edits(view, view.analysis.format(Some(bytes))?)))
    }
}
