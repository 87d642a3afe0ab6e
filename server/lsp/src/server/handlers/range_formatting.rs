//! `textDocument/rangeFormatting`.

use super::edits::format_edits;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{DocumentRangeFormattingParams, OneOf, ServerCapabilities, TextEdit};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.document_range_formatting_provider = Some(OneOf::Left(true));
}

pub(in crate::server) async fn handle(
    session: &Session,
    params: DocumentRangeFormattingParams,
) -> Result<Option<Vec<TextEdit>>> {
    let answer = session.documents.answer(&params.text_document.uri, move |view| {
        let bytes = view.places().bytes(params.range);
        Ok(format_edits(view, view.analysis.format(Some(bytes))?))
    });
    answer.await
}
