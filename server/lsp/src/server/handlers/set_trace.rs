//! `$/setTrace`.

use crate::server::handlers::kind::Mutation;
use crate::server::session::Session;
use tower_lsp_server::ls_types::SetTraceParams;

pub(in crate::server) struct SetTraceNotification;

impl Mutation for SetTraceNotification {
    type Params = SetTraceParams;

    fn apply(session: &Session, params: Self::Params) {
        session.connection.trace_to(params.value);
    }
}
