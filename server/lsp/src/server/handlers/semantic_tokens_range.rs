//! `textDocument/semanticTokens/range`.

use super::semantic_tokens::encode;
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::workspace::launch_text;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{SemanticTokens, SemanticTokensRangeParams, SemanticTokensRangeResult};

/// Tokens in the range alone; the rest of the document costs nothing.
pub(in crate::server) struct SemanticTokensRangeRequest;

impl Task for SemanticTokensRangeRequest {
    type Params = SemanticTokensRangeParams;
    type Reply = Option<SemanticTokensRangeResult>;

    async fn serve(
        session: &Session,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        let range = params.range;
        let of_launch_file =
            launch_text::answer(&session.workspace, &params.text_document.uri, move |file| {
                let bytes = file.places().bytes(range);
                encode(&file.view.semantic_tokens(Some(&bytes)), file.places())
            });
        if let Some(answer) = of_launch_file {
            return Ok(Some(SemanticTokensRangeResult::Tokens(SemanticTokens {
                result_id: None,
                data: answer.await?,
            })));
        }
        let answer = session.documents.answer(&params.text_document.uri, move |view| {
            let bytes = view.places().bytes(range);
            Ok(encode(&view.analysis.semantic_tokens(Some(bytes))?, view.places()))
        });
        let data = answer.await?.unwrap_or_default();
        Ok(Some(SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data })))
    }
}
