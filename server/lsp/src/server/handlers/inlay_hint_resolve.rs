//! `inlayHint/resolve`: the tooltip of a hint.

use super::inlay_hint::{UnresolvedHint, tooltip};
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use serde::Deserialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::InlayHint;

/// Adds the tooltip to a hint. Returns the hint unchanged if the document has changed since, or if it is
/// another server's hint.
pub(in crate::server) struct InlayHintResolveRequest;

impl Task for InlayHintResolveRequest {
    type Params = InlayHint;
    type Reply = InlayHint;

    async fn serve(session: &Session, mut hint: Self::Params) -> Result<Self::Reply> {
        let Some(Ok(wanted)) = hint.data.as_ref().map(UnresolvedHint::deserialize) else { return Ok(hint) };
        let uri = wanted.uri.clone();
        let answer = session.documents.answer(&uri, move |view| {
            if view.version != wanted.version {
                return Ok(None);
            }
            let at = view.analysis.hints(wanted.offset..wanted.offset)?;
            let mut there = at.into_iter().filter(|hint| hint.offset == wanted.offset);
            Ok(there.nth(wanted.nth).map(|hint| hint.tooltip))
        });
        hint.tooltip = answer.await?.flatten().map(tooltip);
        Ok(hint)
    }
}
