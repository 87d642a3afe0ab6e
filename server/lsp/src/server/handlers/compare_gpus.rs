//! `warplens/compareGpus`: predicts the first launch of the kernel at a position for each GPU that can run its code.
//!
//! Parameters: `textDocument` and `position`. Result: `{rows}`, the current GPU first. Null if the document is not
//! open or has no kernel.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use ide::GpuRow;
use serde::Serialize;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

#[derive(Debug, Serialize)]
pub(in crate::server) struct CompareGpusReply {
    rows: Vec<GpuRow>,
}

pub(in crate::server) struct CompareGpusRequest;

impl Snapshot for CompareGpusRequest {
    type Params = TextDocumentPositionParams;
    type Reply = Option<CompareGpusReply>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let offset = view.places().offset(params.position);
        let rows = view.analysis.on_gpus(offset)?;
        Ok((!rows.is_empty()).then_some(CompareGpusReply { rows }))
    }
}
