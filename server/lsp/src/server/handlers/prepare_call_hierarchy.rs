//! `textDocument/prepareCallHierarchy`.

use super::call_hierarchy::item;
use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use crate::server::transport::client_features::ClientFeatures;
use tower_lsp_server::ls_types::{
    CallHierarchyItem, CallHierarchyPrepareParams, CallHierarchyServerCapability, ServerCapabilities,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.call_hierarchy_provider = Some(CallHierarchyServerCapability::Simple(true));
}

pub(in crate::server) struct PrepareCallHierarchyRequest;

impl Snapshot for PrepareCallHierarchyRequest {
    type Params = CallHierarchyPrepareParams;
    type Reply = Option<Vec<CallHierarchyItem>>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let places = &mut view.places();
        let offset = places.offset(params.text_document_position_params.position);
        let found = view.analysis.call_item(offset)?;
        Ok(found.map(|found| vec![item(found, view.uri.clone(), places)]))
    }
}
