//! `initialize`: what both sides can do.

use crate::server::transport::client_capabilities::Abilities;
use crate::server::transport::faults::Faults;
use crate::server::documents::kept_figures::KeptFigures;
use crate::server::session::{Greeting, Session};
use crate::server::transport::tools::Tools;
use crate::server::{shared, table, workspace};
use tower_lsp_server::ls_types::{
    InitializeParams, InitializeResult, OneOf, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

/// Settings and the launch context are in force before any document can be opened.
pub(in crate::server) fn handle(session: &Session, params: InitializeParams) -> InitializeResult {
    let folders = workspace::folders(&params);
    let options = params.initialization_options.unwrap_or_default();
    let abilities = Abilities::read(&params.capabilities);
    let costs_only = is_on(&options, "costsOnly");
    let shows_panel = is_on(&options, "lensCommand");
    let tunes = is_on(&options, "tuneCommand");
    let capabilities =
        if costs_only { shared::capabilities(&abilities) } else { table::capabilities(&abilities) };
    let (faults, tools) = (Faults::read(&options), Tools::read(&options));
    session.greet(Greeting { abilities, faults, tools, costs_only, shows_panel, tunes });
    session.trace_to(params.trace.unwrap_or_default());
    let client = params.client_info.map_or_else(String::new, |client| {
        format!(" for {} {}", client.name, client.version.unwrap_or_default())
    });
    tracing::info!("warplens {}{client}", env!("CARGO_PKG_VERSION"));
    if let Some(kept) = KeptFigures::of_user() {
        session.lock().host.keep_predictions_in(kept);
    }
    session.take_options(options);
    session.change_folders(&[], folders);
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..InitializeResult::default()
    }
}

/// Whether an option of the server is on: `costsOnly` says that another server serves the documents that this client will open,
/// `lensCommand` that it has the command `warplens.showPanel`, `tuneCommand` that it has `warplens.tune`.
fn is_on(options: &serde_json::Value, name: &str) -> bool {
    let own = options.get("warplens").unwrap_or(options);
    own.get(name).and_then(serde_json::Value::as_bool).unwrap_or(false)
}

/// The capabilities that no request brings.
pub(in crate::server) fn synchronisation(client: &Abilities) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            ..TextDocumentSyncOptions::default()
        })),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        // What clients cannot see in any other field: methods of our own.
        experimental: Some(
            serde_json::json!({ "selectionCycles": true, "copyAs": true, "showSass": true, "showPtx": true, "compareCode": true, "profiles": true }),
        ),
        ..ServerCapabilities::default()
    }
}
