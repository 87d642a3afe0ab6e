//! `workspace/executeCommand`. `warplens.dumpState` returns the server's state, for bug reports.
//! `warplens.tuneKernel` tunes a kernel for clients without a command of their own; the kernel's lens shows the
//! outcome. `warplens.stateLaunch` states a launch of a kernel in `warplens.toml` and shows that file.
//! `warplens.showPlace` shows the text that an action has inserted.

use super::code_lens::{STATE_LAUNCH, TUNE_KERNEL};
use super::fill_in;
use super::state_launch;
use super::tune;
use crate::read::{BoundedFile, never};
use crate::server::documents::OpenDocuments;
use crate::server::handlers::kind::Task;
use crate::server::session::Session;
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::tickets::{Tickets, WorkKey};
use crate::server::workspace::root::Root;
use ide::Cancel;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{
    ExecuteCommandOptions, ExecuteCommandParams, Location, ServerCapabilities, Uri,
};

const DUMP_STATE: &str = "warplens.dumpState";
/// The command that makes the client show a location in a document.
pub(super) const SHOW_PLACE: &str = "warplens.showPlace";

pub(in crate::server) fn offer(_: &ClientFeatures, offered: &mut ServerCapabilities) {
    offered.execute_command_provider = Some(ExecuteCommandOptions {
        commands: [DUMP_STATE, SHOW_PLACE, TUNE_KERNEL, STATE_LAUNCH].map(str::to_owned).to_vec(),
        ..ExecuteCommandOptions::default()
    });
}

pub(in crate::server) struct ExecuteCommandRequest;

impl Task for ExecuteCommandRequest {
    type Params = ExecuteCommandParams;
    type Reply = Option<Value>;

    async fn serve(session: &Session, params: Self::Params) -> Result<Self::Reply> {
        let ExecuteCommandParams { command, arguments, .. } = params;
        let own = session.clone();
        match command.as_str() {
            TUNE_KERNEL => {
                let wanted = argument(arguments, "{uri, kernel, shape}")?;
                tokio::spawn(async move { tune::tune_and_report(&own, wanted).await });
            }
            STATE_LAUNCH => {
                let at = argument(arguments, "{textDocument, position}")?;
                tokio::spawn(async move { state_launch::state_launch(&own, at).await });
            }
            SHOW_PLACE => {
                let Location { uri, range } = argument(arguments, "{uri, range}")?;
                tokio::spawn(fill_in::show(session.connection.client(), uri, Some(range)));
            }
            DUMP_STATE => return Ok(Some(state(session))),
            _ => {
                return Err(Error::invalid_params(format!(
                    "unknown command {command}; known: {DUMP_STATE}, {SHOW_PLACE}, {TUNE_KERNEL}, {STATE_LAUNCH}"
                )));
            }
        }
        Ok(None)
    }
}

/// The first argument of a command; an error that states the expected form if the argument has another form.
fn argument<T: DeserializeOwned>(arguments: Vec<Value>, expected: &str) -> Result<T> {
    let first = arguments.into_iter().next().unwrap_or_default();
    serde_json::from_value(first).map_err(|_| Error::invalid_params(format!("expected {expected}")))
}

/// The state of the server, for bug reports.
fn state(session: &Session) -> Value {
    let folders = session.workspace.lock();
    let root = |root: &Root| json!({ "path": root.path.to_string_lossy(), "complaint": root.complaint });
    let roots: Vec<Value> = folders.roots.iter().map(root).collect();
    let state = session.documents.lock();
    let tickets = session.connection.tickets();
    let documents: Vec<Value> = state.by_uri.keys().map(|uri| document(&state, tickets, uri)).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "documents": documents,
        "modelsComputed": state.host.models_computed(),
        "memory": { "residentBytes": resident_bytes() },
        "settings": serde_json::to_value(state.host.config()).unwrap_or_default(),
        "folders": roots,
        "client": format!("{:?}", session.connection.features()),
    })
}

/// The state of a document, without its text: a listing may be secret.
fn document(state: &OpenDocuments, tickets: &Tickets, uri: &Uri) -> Value {
    let Some(document) = state.by_uri.get(uri) else { return Value::Null };
    let gpu = (!document.poisoned)
        .then(|| state.host.snapshot(uri.as_str(), Cancel::default()))
        .flatten()
        .map(|analysis| analysis.gpu_name());
    json!({
        "uri": uri.as_str(),
        "version": document.version,
        "lines": document.text.len_lines(),
        "bytes": document.text.len_bytes(),
        // The text is stored twice, in the rope and in the engine's chunks.
        "textMemoryBytes": 2 * document.text.len_bytes(),
        "gpu": gpu,
        "resting": document.poisoned,
        "workUnderWay": tickets.count(&WorkKey::Document(uri.clone())),
        "findingsShown": document.published.as_ref().map(Vec::len),
    })
}

/// The process's resident memory in bytes; `None` if `/proc` does not report it.
fn resident_bytes() -> Option<u64> {
    let status =
        BoundedFile::regular(Path::new("/proc/self/status"), 1 << 16).and_then(|from| from.all(&never));
    let status = String::from_utf8(status.ok()?).ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(kilobytes.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}
