//! `window/workDoneProgress/cancel`.

use crate::server::session::Session;
use tower_lsp_server::ls_types::WorkDoneProgressCancelParams;

pub(in crate::server) async fn handle(session: &Session, params: WorkDoneProgressCancelParams) {
    session.connection.cancel_progress(&params.token);
}
