//! `textDocument/prepareRename`: the name that would be renamed.

use super::rename::error;
use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use tower_lsp_server::ls_types::{PrepareRenameResponse, TextDocumentPositionParams};

pub(in crate::server) struct PrepareRenameRequest;

impl Snapshot for PrepareRenameRequest {
    type Params = TextDocumentPositionParams;
    type Reply = Option<PrepareRenameResponse>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let places = &mut view.places();
        let offset = places.offset(params.position);
        let range = view.analysis.rename_range(offset)?;
        match range {
            Ok(range) => Ok(Some(PrepareRenameResponse::Range(places.range(&range)))),
            Err(refusal) => Err(NoReply::Refused(error(refusal))),
        }
    }
}
