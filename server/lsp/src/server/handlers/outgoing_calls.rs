//! `callHierarchy/outgoingCalls`.

use super::call_hierarchy::calls;
use crate::server::session::Session;
use ide::Analysis;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams};

pub(in crate::server) async fn handle(
    session: &Session,
    params: CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
    let call = |to, from_ranges| CallHierarchyOutgoingCall { to, from_ranges };
    calls(session, params.item, Analysis::outgoing_calls, call).await
}
