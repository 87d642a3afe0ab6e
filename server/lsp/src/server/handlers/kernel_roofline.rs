//! `warplens/kernelRoofline`: what is predicted of the launches of the kernel at a place, for panels that draw it.

use crate::server::session::Session;
use ide::predict::Roofline;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

/// Null where the document is not open or has no kernel.
pub(in crate::server) async fn handle(
    session: &Session,
    at: TextDocumentPositionParams,
) -> Result<Option<Roofline>> {
    let ask = |at| session.answer_at(at, |view, _, offset| view.analysis.roofline(offset));
    let found = ask(at.clone()).await?;
    let is_quick = found.as_ref().is_some_and(|found| found.launches.iter().any(|launch| launch.quick));
    if !is_quick {
        return Ok(found);
    }
    session.settle_figures(&at).await;
    ask(at).await
}
