//! `warplens/occupancyCurves`: the warps of an SM over the block's size, the registers and the shared memory of the kernel at a place.

use crate::server::documents::work::View;
use crate::server::handlers::kind::{Snapshot, Unanswered};
use ide::OccupancyCurves;
use tower_lsp_server::ls_types::TextDocumentPositionParams;

/// Null where the document is not open or has no kernel.
pub(in crate::server) struct OccupancyCurvesRequest;

impl Snapshot for OccupancyCurvesRequest {
    type Params = TextDocumentPositionParams;
    type Reply = Option<OccupancyCurves>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, Unanswered> {
        let offset = view.places().offset(params.position);
        Ok(view.analysis.occupancy_curves(offset)?)
    }
}
