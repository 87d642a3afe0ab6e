//! `initialized`: the client may be spoken to, and asked.

use crate::server::session::Session;
use tower_lsp_server::ls_types::InitializedParams;

pub(in crate::server) fn handle(session: &Session, _params: InitializedParams) {
    session.start_sending();
    session.register();
    session.may_watch_listings();
    session.may_ask_for_sources();
    if session.abilities().configuration {
        session.ask_for_settings();
    }
}
