//! `warplens/occupancyCurves`: resident warps by block size, registers and shared memory, for the kernel at a
//! position.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use ide::OccupancyCurves;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

/// Null if the document is not open or has no kernel.
pub(in crate::server) struct OccupancyCurvesRequest;

impl Snapshot for OccupancyCurvesRequest {
    type Params = TextDocumentPositionParams;
    type Reply = Option<OccupancyCurves>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let offset = view.places().offset(params.position);
        Ok(view.analysis.occupancy_curves(offset)?)
    }
}
