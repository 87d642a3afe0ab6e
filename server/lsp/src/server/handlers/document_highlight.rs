//! `textDocument/documentHighlight`: distinguishes reads from writes.

use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use ide::Usage;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, OneOf, ServerCapabilities,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.document_highlight_provider = Some(OneOf::Left(true));
}

pub(in crate::server) async fn handle(
    session: &Session,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>> {
    let answer = session.documents.answer_at(params.text_document_position_params, |view, places, offset| {
        let references = view.analysis.references(offset)?.into_iter();
        let highlights = references.map(|reference| DocumentHighlight {
            range: places.range(&reference.range),
            kind: Some(match reference.usage {
                Usage::Read => DocumentHighlightKind::READ,
                Usage::Write => DocumentHighlightKind::WRITE,
                Usage::Text => DocumentHighlightKind::TEXT,
            }),
        });
        Ok(Some(view.unless_nothing(highlights.collect())))
    });
    Ok(answer.await?.unwrap_or_else(|| Some(Vec::new())))
}
