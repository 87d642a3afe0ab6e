//! `callHierarchy/incomingCalls`.

use super::call_hierarchy::calls;
use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use ide::Analysis;
use tower_lsp_server::ls_types::{CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams};

pub(in crate::server) struct IncomingCallsRequest;

impl Snapshot for IncomingCallsRequest {
    type Params = CallHierarchyIncomingCallsParams;
    type Reply = Option<Vec<CallHierarchyIncomingCall>>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let call = |from, from_ranges| CallHierarchyIncomingCall { from, from_ranges };
        calls(view, &params.item, Analysis::incoming_calls, call)
    }
}
