//! `window/workDoneProgress/cancel`.

use crate::server::handlers::kind::Mutation;
use crate::server::session::Session;
use tower_lsp_server::ls_types::WorkDoneProgressCancelParams;

pub(in crate::server) struct WorkDoneProgressCancelNotification;

impl Mutation for WorkDoneProgressCancelNotification {
    type Params = WorkDoneProgressCancelParams;

    fn apply(session: &Session, params: Self::Params) {
        session.connection.cancel_progress(&params.token);
    }
}
