//! `warplens/gpu`: the GPU that a document's numbers are for, for a status line.

use crate::server::session::Session;
use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::TextDocumentIdentifier;

#[derive(Debug, Serialize)]
pub(in crate::server) struct GpuInUse {
    /// The part's name, and in brackets why it is this one.
    gpu: String,
}

/// Null for a document that is not open, or has no instruction.
pub(in crate::server) async fn handle(
    session: &Session,
    document: TextDocumentIdentifier,
) -> Result<Option<GpuInUse>> {
    let answer = session.answer(&document.uri, |view| Ok(view.analysis.gpu_name()));
    Ok(answer.await?.filter(|gpu| !gpu.is_empty()).map(|gpu| GpuInUse { gpu }))
}
