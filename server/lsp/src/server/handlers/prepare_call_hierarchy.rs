//! `textDocument/prepareCallHierarchy`.

use super::call_hierarchy::item;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CallHierarchyItem, CallHierarchyPrepareParams, CallHierarchyServerCapability, ServerCapabilities,
};

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.call_hierarchy_provider = Some(CallHierarchyServerCapability::Simple(true));
}

pub(in crate::server) async fn handle(
    session: &Session,
    params: CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>> {
    let answer = session.documents.answer_at(params.text_document_position_params, |view, places, offset| {
        let found = view.analysis.call_item(offset)?;
        Ok(found.map(|found| vec![item(found, view.uri.clone(), places)]))
    });
    answer.await
}
