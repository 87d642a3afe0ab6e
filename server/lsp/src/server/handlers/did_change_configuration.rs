//! `workspace/didChangeConfiguration`.

use crate::server::handlers::kind::Mutation;
use crate::server::session::Session;
use tower_lsp_server::ls_types::DidChangeConfigurationParams;

/// A client either includes its settings, or sends nothing and expects the server to request them.
pub(in crate::server) struct DidChangeConfigurationNotification;

impl Mutation for DidChangeConfigurationNotification {
    type Params = DidChangeConfigurationParams;

    fn apply(session: &Session, params: Self::Params) {
        let reported = params.settings.as_object().is_some_and(|settings| !settings.is_empty());
        if reported {
            session.settings.take_settings(params.settings);
        } else if session.connection.features().configuration {
            session.settings.ask_for_settings();
        }
    }
}
