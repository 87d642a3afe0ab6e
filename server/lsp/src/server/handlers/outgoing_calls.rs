//! `callHierarchy/outgoingCalls`.

use super::call_hierarchy::calls;
use crate::server::documents::work::View;
use crate::server::handlers::kind::{NoReply, Snapshot};
use ide::Analysis;
use tower_lsp_server::ls_types::{CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams};

pub(in crate::server) struct OutgoingCallsRequest;

impl Snapshot for OutgoingCallsRequest {
    type Params = CallHierarchyOutgoingCallsParams;
    type Reply = Option<Vec<CallHierarchyOutgoingCall>>;

    fn reply(view: &View, params: &Self::Params) -> Result<Self::Reply, NoReply> {
        let call = |to, from_ranges| CallHierarchyOutgoingCall { to, from_ranges };
        calls(view, &params.item, Analysis::outgoing_calls, call)
    }
}
