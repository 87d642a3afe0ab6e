//! `codeAction/resolve`: the edit of an action that writes control codes. The user has requested these codes,
//! so the response is an error with the reason in one line if the codes cannot be written.

use super::code_action::UnresolvedAction;
use super::edits::workspace_edit;
use super::rename::refused;
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use serde::Deserialize;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::CodeAction;

/// Adds the edit to an action; returns an action of another server unchanged. Fails if the document has
/// changed since.
pub(in crate::server) struct CodeActionResolveRequest;

impl Task for CodeActionResolveRequest {
    type Params = CodeAction;
    type Reply = CodeAction;

    async fn serve(session: &Session, mut action: Self::Params) -> Result<Self::Reply> {
        let Some(Ok(wanted)) = action.data.as_ref().map(UnresolvedAction::deserialize) else {
            return Ok(action);
        };
        let uri = wanted.uri.clone();
        let answer = session.documents.answer(&uri, move |view| {
            if view.version != wanted.version {
                return Ok(None);
            }
            let written = view.analysis.schedule_edits(wanted.offset, wanted.scope)?;
            Ok(written.map(|written| written.map(|edits| workspace_edit(view, edits))))
        });
        match answer.await?.flatten() {
            Some(Ok(edit)) => action.edit = Some(edit),
            Some(Err(why)) => return Err(refused(why.to_string())),
            None => return Err(Error::content_modified()),
        }
        Ok(action)
    }
}
