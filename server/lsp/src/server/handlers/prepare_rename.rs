//! `textDocument/prepareRename`: the name that would be renamed.

use super::rename::error;
use crate::server::session::Session;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{PrepareRenameResponse, TextDocumentPositionParams};

pub(in crate::server) async fn handle(
    session: &Session,
    at: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>> {
    let answer = session.documents.answer_at(at, |view, places, offset| {
        let range = view.analysis.rename_range(offset)?;
        Ok(Some(range.map(|range| PrepareRenameResponse::Range(places.range(&range)))))
    });
    answer.await?.transpose().map_err(error)
}
