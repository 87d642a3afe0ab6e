//! `experimental/serverStatus`: the server's health, in one line for the editor's status bar.
//!
//! The notification has the form that rust-analyzer's clients know: `health`, `quiescent`, `message`.

use crate::server::code::live;
use crate::server::session::Session;
use ide::Cancel;
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use tower_lsp_server::ls_types::notification::Notification;

/// Changes within this time are reported once.
const PAUSE: Duration = Duration::from_millis(30);

enum ServerStatus {}

impl Notification for ServerStatus {
    type Params = Status;
    const METHOD: &'static str = "experimental/serverStatus";
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Status {
    health: Health,
    /// True if no long job is under way.
    quiescent: bool,
    /// Problems, if any, then the note, then the GPU assumed for the active document.
    message: String,
    /// One line about a step that would improve the figures. It is not a problem: the server works without
    /// this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Ok,
    Warning,
    Error,
}

/// Sends the status whenever it changes, until the session ends.
pub(crate) fn follow(session: Session) {
    let mut changed = session.connection.status_changes();
    tokio::spawn(async move {
        let mut sent = None;
        loop {
            changed.mark_unchanged();
            let status = status(&session);
            if sent.as_ref() != Some(&status) {
                session.connection.client().send_notification::<ServerStatus>(status.clone()).await;
                sent = Some(status);
            }
            if changed.changed().await.is_err() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
    });
}

fn status(session: &Session) -> Status {
    let setting = session.settings.complaint();
    let folders: Vec<String> =
        session.workspace.lock().roots.iter().filter_map(|root| root.complaint.clone()).collect();
    let state = session.documents.lock();
    let failed = state.by_uri.iter().filter(|(_, document)| document.poisoned).map(|(uri, _)| uri);
    let failed: Vec<String> = failed.map(|uri| format!("the analysis of {} failed", uri.as_str())).collect();
    let large = state.by_uri.keys().filter_map(|uri| {
        let why = state.host.too_large(uri.as_str())?;
        Some(format!("{} is {}: it is treated as plain text", uri.as_str(), why.reason()))
    });
    let large: Vec<String> = large.collect();
    let wrong: Vec<&str> = setting
        .iter()
        .chain(&folders)
        .chain(&large)
        .chain(&failed)
        .chain(&session.connection.facts().tools.wrong)
        .map(String::as_str)
        .collect();
    let health = match (failed.is_empty(), wrong.is_empty()) {
        (false, _) => Health::Error,
        (true, false) => Health::Warning,
        (true, true) => Health::Ok,
    };
    let active =
        state.active.as_ref().filter(|uri| state.by_uri.get(uri).is_some_and(|document| !document.poisoned));
    let analysis = active.and_then(|uri| state.host.snapshot(uri.as_str(), Cancel::default()));
    let quiescent = session.connection.is_quiescent();
    let note = live::no_compiler(&state);
    let lines: Vec<&str> = wrong.into_iter().chain(note.as_deref()).collect();
    let mut lines = lines.join("\n");
    drop(state);
    let gpu = analysis.and_then(|analysis| {
        catch_unwind(AssertUnwindSafe(|| analysis.gpu_name())).ok().filter(|name| !name.is_empty())
    });
    if let Some(gpu) = gpu {
        if !lines.is_empty() {
            lines.push('\n');
        }
        lines.push_str(&gpu);
    }
    Status { health, quiescent, message: lines, note }
}
