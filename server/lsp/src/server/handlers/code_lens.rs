//! `textDocument/codeLens`.

use crate::server::abilities::Abilities;
use crate::server::session::Session;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{CodeLens, CodeLensOptions, CodeLensParams, Command, ServerCapabilities};

pub(in crate::server) fn offer(_: &Abilities, offered: &mut ServerCapabilities) {
    offered.code_lens_provider = Some(CodeLensOptions { resolve_provider: Some(false) });
}

pub(in crate::server) async fn handle(
    session: &Session,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>> {
    let answer = session.answer(&params.text_document.uri, |view| {
        let mut places = view.places();
        let lenses = view.analysis.lenses()?.into_iter().map(|lens| CodeLens {
            range: places.range(&lens.range),
            // Clients show a lens as its command's title; an empty command makes it text that does nothing.
            command: Some(Command { title: lens.title, command: String::new(), arguments: None }),
            data: Some(serde_json::json!({ "detail": lens.detail })),
        });
        Ok(lenses.collect())
    });
    Ok(Some(answer.await?.unwrap_or_default()))
}
