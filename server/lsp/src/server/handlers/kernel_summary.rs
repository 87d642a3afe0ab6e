//! `warplens/kernelSummary`: the kernel at a place as data, for panels that draw it.

use crate::server::session::Session;
use ide::Summary;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

/// Null where the document is not open or has no kernel.
pub(in crate::server) async fn handle(
    session: &Session,
    at: TextDocumentPositionParams,
) -> Result<Option<Summary>> {
    let ask = |at| session.answer_at(at, |view, _, offset| view.analysis.summary(offset));
    let found = ask(at.clone()).await?;
    let is_quick = found.as_ref().is_some_and(|found| found.launches.iter().any(|launch| launch.quick));
    if !is_quick {
        return Ok(found);
    }
    session.settle_figures(&at).await;
    ask(at).await
}
