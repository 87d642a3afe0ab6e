//! `callHierarchy/incomingCalls`.

use super::call_hierarchy::calls;
use crate::server::session::Session;
use ide::Analysis;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams};

pub(in crate::server) async fn handle(
    session: &Session,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
    let call = |from, from_ranges| CallHierarchyIncomingCall { from, from_ranges };
    calls(session, params.item, Analysis::incoming_calls, call).await
}
