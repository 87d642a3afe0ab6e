//! `warplens/gpu`: the GPU that a document's numbers are for, for a status line.

use crate::server::session::Session;
use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::TextDocumentIdentifier;

#[derive(Debug, Serialize)]
pub(in crate::server) struct GpuInUse {
    /// The part's name, and in brackets why it is this one.
    gpu: String,
    /// The model of the cycles: `pipeline` or `paper`.
    model: &'static str,
}

/// Null for a document that is not open, or has no instruction.
pub(in crate::server) async fn handle(
    session: &Session,
    document: TextDocumentIdentifier,
) -> Result<Option<GpuInUse>> {
    let answer = session.documents.answer(&document.uri, |view| {
        Ok(GpuInUse { gpu: view.analysis.gpu_name(), model: view.analysis.model_name() })
    });
    Ok(answer.await?.filter(|in_use| !in_use.gpu.is_empty()))
}
