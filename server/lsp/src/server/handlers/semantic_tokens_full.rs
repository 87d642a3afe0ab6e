//! `textDocument/semanticTokens/full`.

use super::semantic_tokens::{encode, legend};
use crate::server::abilities::Abilities;
use crate::server::session::Session;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    SemanticTokens, SemanticTokensFullOptions, SemanticTokensOptions, SemanticTokensParams,
    SemanticTokensResult, SemanticTokensServerCapabilities, ServerCapabilities,
};

/// Offers both requests for tokens; the protocol announces them together.
pub(in crate::server) fn offer(_: &Abilities, offered: &mut ServerCapabilities) {
    let options = SemanticTokensOptions {
        legend: legend(),
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Bool(true)),
        ..SemanticTokensOptions::default()
    };
    offered.semantic_tokens_provider = Some(SemanticTokensServerCapabilities::SemanticTokensOptions(options));
}

pub(in crate::server) async fn handle(
    session: &Session,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>> {
    let answer = session
        .answer(&params.text_document.uri, |view| Ok(encode(&view.analysis.semantic_tokens(None)?, view)));
    let data = answer.await?.unwrap_or_default();
    Ok(Some(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data })))
}
