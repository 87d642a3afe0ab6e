//! `textDocument/prepareRename`: the name that would be renamed.

use super::rename::error;
use crate::server::abilities::Abilities;
use crate::server::session::Session;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{PrepareRenameResponse, ServerCapabilities, TextDocumentPositionParams};

/// `rename` offers this one too.
pub(in crate::server) fn offer(_: &Abilities, _: &mut ServerCapabilities) {}

pub(in crate::server) async fn handle(
    session: &Session,
    at: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>> {
    let answer = session.answer(&at.text_document.uri, move |view| {
        let mut places = view.places();
        let offset = places.offset(at.position);
        let range = view.analysis.rename_range(offset)?;
        Ok(range.map(|range| PrepareRenameResponse::Range(places.range(&range))))
    });
    answer.await?.transpose().map_err(error)
}
