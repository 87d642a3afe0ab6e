//! `warplens.stateLaunch`: states a launch of a kernel in `warplens.toml`, and shows the first value to fill in. If a
//! launch is already stated, only shows the file.

use super::fill_in;
use crate::server::session::Session;
use crate::server::transport::outgoing::Outgoing;
use tower_lsp_server::ls_types::{MessageType, TextDocumentPositionParams};

/// Must be called in a separate task because it waits for the client.
pub(super) async fn state_launch(session: &Session, at: TextDocumentPositionParams) {
    let uri = at.text_document.uri.clone();
    let asked = session.clone();
    let answer = session.documents.answer_at(at, move |view, _, offset| {
        let stated = view.analysis.launch_to_state(offset)?;
        Ok(stated.map(|stated| asked.workspace.stating_edit(&view.uri, |text| stated.edits(text))))
    });
    let Ok(wanted) = answer.await else { return };
    let client = session.connection.client();
    let mut selection = None;
    match wanted {
        Some(Some(edit)) => {
            selection = fill_in::first_to_fill_in(&edit).map(|place| place.range);
            let applied = client.apply_edit(edit).await;
            if !applied.is_ok_and(|answer| answer.applied) {
                return;
            }
        }
        Some(None) => {
            let why = "no launch can be written: the file is in no folder of the workspace, or its warplens.toml cannot be edited";
            session.connection.send(Outgoing::Message(MessageType::INFO, why.to_owned()));
            return;
        }
        None => {}
    }
    let file = session.workspace.lock().root_around(&uri).and_then(|root| Some(root.text()?.0));
    if let Some(file) = file.filter(|_| session.connection.features().shows_documents) {
        fill_in::show(client, file, selection).await;
    }
}
