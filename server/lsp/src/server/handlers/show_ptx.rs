//! `warplens/showPtx`: a document of CUDA compiled to PTX.
//!
//! Parameters: `textDocument`, whose unsaved text is compiled. The result is that of `warplens/showSass`, with the PTX in the
//! listing's place. Programs run only where the client has said `trusted: true` in its `initializationOptions`.

use crate::build::NoCode;
use crate::server::code::sass_run::{Answer, Remedy};
use crate::server::session::Session;
use serde::Deserialize;
use toolchain::Consent;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::TextDocumentIdentifier;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct Params {
    text_document: TextDocumentIdentifier,
}

pub(in crate::server) async fn handle(session: &Session, params: Params) -> Result<Answer> {
    let uri = params.text_document.uri;
    let version = session.lock().documents.get(&uri).map_or(0, |document| document.version);
    let Some(consent) = Consent::by_trusted_workspace(session.greeting().tools.trusted) else {
        let reason = "the workspace is not trusted, so no compiler runs";
        return Ok(Answer::without(version, reason, Some(Remedy::Trust)));
    };
    let Some(made) = session.ptx_now(&uri, consent).await else {
        return Err(Error::invalid_params(format!(
            "{}: expected a CUDA document that is open",
            uri.as_str()
        )));
    };
    let name = uri.path().decode().to_string_lossy().rsplit('/').next().unwrap_or_default().to_owned();
    match made {
        Ok((text, by, map)) => Ok(Answer::of_ptx(version, &name, &text, &by, map)),
        Err(NoCode::Cancelled) => Err(Error::request_cancelled()),
        Err(why) => Ok(Answer::without(version, &why.in_words(), Remedy::for_reason(&why))),
    }
}
