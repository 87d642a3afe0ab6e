//! `codeLens/resolve`: the title of a lens.

use super::code_lens::{UnresolvedLens, code_lens};
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use serde::Deserialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::CodeLens;

/// Resolves a lens. Returns the lens unchanged if the document has changed, if the lens already has a title,
/// or if it is another server's lens.
pub(in crate::server) struct CodeLensResolveRequest;

impl Task for CodeLensResolveRequest {
    type Params = CodeLens;
    type Reply = CodeLens;

    async fn serve(session: &Session, lens: Self::Params) -> Result<Self::Reply> {
        let Some(Ok(wanted)) = lens.data.as_ref().map(UnresolvedLens::deserialize) else { return Ok(lens) };
        let uri = wanted.uri.clone();
        let (range, asked) = (lens.range, session.clone());
        let answer = session.documents.answer(&uri, move |view| {
            if view.version != wanted.version {
                return Ok(None);
            }
            let said = view.analysis.lens(wanted.kernel, wanted.of)?;
            if said.as_ref().is_some_and(|said| said.is_quick) {
                asked.documents.want_figures(view, &[(wanted.kernel, wanted.of)]);
            }
            Ok(said.map(|said| code_lens(&asked, view, range, said)))
        });
        Ok(answer.await?.flatten().unwrap_or(lens))
    }
}
