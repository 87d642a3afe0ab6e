//! `textDocument/semanticTokens/range`.

use super::semantic_tokens::encode;
use crate::server::session::Session;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{SemanticTokens, SemanticTokensRangeParams, SemanticTokensRangeResult};

/// Tokens in the range alone; the rest of the document costs nothing.
pub(in crate::server) async fn handle(
    session: &Session,
    params: SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>> {
    let answer = session.answer(&params.text_document.uri, move |view| {
        let bytes = view.places().bytes(params.range);
        Ok(encode(&view.analysis.semantic_tokens(Some(bytes))?, view))
    });
    let data = answer.await?.unwrap_or_default();
    Ok(Some(SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data })))
}
