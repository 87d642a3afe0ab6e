//! `textDocument/formatting`.

use super::edits::format_edits;
use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use tower_lsp_server::ls_types::{DocumentFormattingParams, OneOf, ServerCapabilities, TextEdit};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.document_formatting_provider = Some(OneOf::Left(true));
}

/// Formats to the columns of the assembler's dialect, regardless of the client's tab size.
pub(in crate::server) struct FormattingRequest;

impl Snapshot for FormattingRequest {
    type Params = DocumentFormattingParams;
    type Reply = Option<Vec<TextEdit>>;

    fn reply(view: &View, _: &Self::Params) -> Result<Self::Reply, NoReply> {
        Ok(Some(format_edits(view, view.analysis.format(None)?)))
    }
}
