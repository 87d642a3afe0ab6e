//! `warplens/compareGpus`: the first launch of the kernel at a place on each GPU that runs its code.
//!
//! Parameters: `textDocument` and `position`. Result: `{rows}`, the current GPU first. Null where the document is not open or has no
//! kernel.

use crate::server::session::Session;
use ide::GpuRow;
use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

#[derive(Debug, Serialize)]
pub(in crate::server) struct Answer {
    rows: Vec<GpuRow>,
}

pub(in crate::server) async fn handle(
    session: &Session,
    at: TextDocumentPositionParams,
) -> Result<Option<Answer>> {
    session
        .documents
        .answer_at(at, |view, _, offset| {
            let rows = view.analysis.on_gpus(offset)?;
            Ok((!rows.is_empty()).then_some(Answer { rows }))
        })
        .await
}
