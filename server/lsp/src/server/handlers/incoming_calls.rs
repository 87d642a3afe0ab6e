//! `callHierarchy/incomingCalls`.

use super::call_hierarchy::item;
use crate::server::abilities::Abilities;
use crate::server::session::Session;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, ServerCapabilities,
};

/// `textDocument/prepareCallHierarchy` offers it.
pub(in crate::server) fn offer(_: &Abilities, _: &mut ServerCapabilities) {}

pub(in crate::server) async fn handle(
    session: &Session,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
    let at = params.item.selection_range.start;
    let answer = session.answer(&params.item.uri, move |view| {
        let mut places = view.places();
        let offset = places.offset(at);
        let sites = view.analysis.incoming_calls(offset)?.into_iter();
        let calls = sites.map(|site| CallHierarchyIncomingCall {
            from_ranges: site.calls.iter().map(|call| places.range(call)).collect(),
            from: item(site.item, view.uri.clone(), &mut places),
        });
        Ok(calls.collect())
    });
    answer.await
}
