//! `textDocument/semanticTokens/full`.

use super::semantic_tokens::{encode, legend};
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use crate::server::workspace::launch_text;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    SemanticTokens, SemanticTokensFullOptions, SemanticTokensOptions, SemanticTokensParams,
    SemanticTokensResult, SemanticTokensServerCapabilities, ServerCapabilities, Uri,
};

/// Offers all requests for tokens; the protocol announces them together.
pub(in crate::server) fn offer(client: &ClientFeatures, offered: &mut ServerCapabilities) {
    let options = SemanticTokensOptions {
        legend: legend(),
        range: Some(true),
        full: Some(if client.token_deltas {
            SemanticTokensFullOptions::Delta { delta: Some(true) }
        } else {
            SemanticTokensFullOptions::Bool(true)
        }),
        ..SemanticTokensOptions::default()
    };
    offered.semantic_tokens_provider = Some(SemanticTokensServerCapabilities::SemanticTokensOptions(options));
}

pub(in crate::server) struct SemanticTokensFullRequest;

impl Task for SemanticTokensFullRequest {
    type Params = SemanticTokensParams;
    type Reply = Option<SemanticTokensResult>;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        Ok(Some(SemanticTokensResult::Tokens(all(session, &params.text_document.uri).await?)))
    }
}

/// All tokens of a document. They are stored if the client can request changes to them.
pub(super) async fn all(session: &Session, uri: &Uri) -> Result<SemanticTokens> {
    let of_launch_file = launch_text::answer(&session.workspace, uri, |file| {
        encode(&file.view.semantic_tokens(None), file.places())
    });
    if let Some(answer) = of_launch_file {
        return Ok(SemanticTokens { result_id: None, data: answer.await? });
    }
    let answer = session
        .documents
        .answer(uri, |view| Ok((view.opening, encode(&view.analysis.semantic_tokens(None)?, view.places()))));
    let Some((opening, data)) = answer.await? else { return Ok(SemanticTokens::default()) };
    let result_id = session
        .connection
        .features()
        .token_deltas
        .then(|| session.documents.remember_tokens(uri, opening, &data));
    Ok(SemanticTokens { result_id, data })
}
