//! `warplens/occupancyCurves`: the warps of an SM over the block's size, the registers and the shared memory of the kernel at a place.

use crate::server::session::Session;
use ide::OccupancyCurves;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

/// Null where the document is not open or has no kernel.
pub(in crate::server) async fn handle(
    session: &Session,
    at: TextDocumentPositionParams,
) -> Result<Option<OccupancyCurves>> {
    session.documents.answer_at(at, |view, _, offset| view.analysis.occupancy_curves(offset)).await
}
