//! `warplens/gpu`: the GPU that a document's figures are for, for a status line.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use serde::Serialize;
use tower_lsp_server::ls_types::TextDocumentIdentifier;

#[derive(Debug, Serialize)]
pub(in crate::server) struct GpuInUse {
    /// The GPU's name, and in parentheses the reason for its choice.
    gpu: String,
    /// The model that predicts cycles: `pipeline` or `paper`.
    model: &'static str,
}

/// Null for a document that is not open or has no instruction.
pub(in crate::server) struct GpuRequest;

impl Snapshot for GpuRequest {
    type Params = TextDocumentIdentifier;
    type Reply = Option<GpuInUse>;

    fn reply(view: &View, _: &Self::Params) -> Result<Self::Reply, NoReply> {
        let in_use = GpuInUse { gpu: view.analysis.gpu_name(), model: view.analysis.model_name() };
        Ok((!in_use.gpu.is_empty()).then_some(in_use))
    }
}
