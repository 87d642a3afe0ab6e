//! `$/setTrace`.

use crate::server::session::Session;
use tower_lsp_server::ls_types::SetTraceParams;

pub(in crate::server) async fn handle(session: &Session, params: SetTraceParams) {
    session.connection.trace_to(params.value);
}
