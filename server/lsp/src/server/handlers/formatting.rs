//! `textDocument/formatting`.

use super::edits::format_edits;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{DocumentFormattingParams, OneOf, ServerCapabilities, TextEdit};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.document_formatting_provider = Some(OneOf::Left(true));
}

/// Columns are those of the dialect, whatever the client's tab size.
pub(in crate::server) async fn handle(
    session: &Session,
    params: DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>> {
    let answer = session
        .documents
        .answer(&params.text_document.uri, move |view| Ok(format_edits(view, view.analysis.format(None)?)));
    answer.await
}
