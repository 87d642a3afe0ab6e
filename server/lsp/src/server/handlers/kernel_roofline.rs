//! `warplens/kernelRoofline`: predicted rates of the launches of the kernel at a position, for a roofline plot.

use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use ide::Analysis;
use ide::predict::Roofline;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

/// Null if the document is not open or has no kernel.
pub(in crate::server) struct KernelRooflineRequest;

impl Task for KernelRooflineRequest {
    type Params = TextDocumentPositionParams;
    type Reply = Option<Roofline>;

    async fn serve(session: &Session, at: Self::Params) -> Result<Self::Reply> {
        session
            .documents
            .answer_in_full(at, Analysis::roofline, |found| found.launches.iter().any(|launch| launch.quick))
            .await
    }
}
