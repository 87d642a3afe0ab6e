//! `warplens/kernelSummary`: figures of the kernel at a position, for panels that draw them.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use ide::{Analysis, Summary};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

/// Null if the document is not open or has no kernel.
pub(in crate::server) struct KernelSummaryRequest;

impl Task for KernelSummaryRequest {
    type Params = TextDocumentPositionParams;
    type Reply = Option<Summary>;

    async fn serve(session: &Session, at: Self::Params) -> Result<Self::Reply> {
        session
            .documents
            .answer_in_full(at, Analysis::summary, |found| found.launches.iter().any(|launch| launch.quick))
            .await
    }
}
