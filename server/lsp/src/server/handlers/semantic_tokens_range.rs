//! `textDocument/semanticTokens/range`.

use super::semantic_tokens::encode;
use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::workspace::launch_text::LaunchText;
use tower_lsp_server::ls_types::{
    SemanticToken, SemanticTokens, SemanticTokensRangeParams, SemanticTokensRangeResult,
};

/// Computes only the tokens in the range.
pub(in crate::server) struct SemanticTokensRangeRequest;

impl Snapshot for SemanticTokensRangeRequest {
    type Params = SemanticTokensRangeParams;
    type Reply = Option<SemanticTokensRangeResult>;

    const READS_LAUNCH_FILES: bool = true;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let bytes = view.places().bytes(params.range);
        Ok(Some(tokens(encode(&view.analysis.semantic_tokens(Some(bytes))?, view.places()))))
    }

    fn reply_of_launch_file(file: &LaunchText, params: &Self::Params) -> Self::Reply {
        let bytes = file.places().bytes(params.range);
        Some(tokens(encode(&file.view.semantic_tokens(Some(&bytes)), file.places())))
    }

    fn without_document() -> Self::Reply {
        Some(tokens(Vec::new()))
    }
}

fn tokens(data: Vec<SemanticToken>) -> SemanticTokensRangeResult {
    SemanticTokensRangeResult::Tokens(SemanticTokens { result_id: None, data })
}
