//! `initialize` and `initialized`: the capabilities of both sides, and the start of background tasks.

use super::documents::prediction_files::PredictionFiles;
use super::session::{Session, status};
use super::transport::client_features::ClientFeatures;
use super::transport::connection::ClientFacts;
use super::transport::faults::Faults;
use super::transport::tools::Tools;
use super::transport::uris::file_path;
use super::workspace::WorkspaceChange;
use super::{handlers, registrations};
use std::path::PathBuf;
use tower_lsp_server::ls_types::{
    InitializeParams, InitializeResult, OneOf, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

/// Applies settings and the launch context before any document can be opened.
pub(super) fn initialize(session: &Session, params: InitializeParams) -> InitializeResult {
    let folders = folders(&params);
    let options = params.initialization_options.unwrap_or_default();
    let features = ClientFeatures::read(&params.capabilities);
    let costs_only = is_on(&options, "costsOnly");
    let shows_panel = is_on(&options, "lensCommand");
    let tunes = is_on(&options, "tuneCommand");
    let capabilities =
        if costs_only { registrations::capabilities(&features) } else { handlers::capabilities(&features) };
    let (faults, tools) = (Faults::read(&options), Tools::read(&options));
    let connection = &session.connection;
    connection.set_facts(ClientFacts { features, faults, tools, costs_only, shows_panel, tunes });
    connection.trace_to(params.trace.unwrap_or_default());
    let client = params.client_info.map_or_else(String::new, |client| {
        format!(" for {} {}", client.name, client.version.unwrap_or_default())
    });
    tracing::info!("warplens {}{client}", env!("CARGO_PKG_VERSION"));
    if let Some(files) = PredictionFiles::in_cache_folder() {
        session.documents.lock().host.keep_predictions_in(files);
    }
    session.settings.take_options(options);
    let follower = session.clone();
    session.workspace.observe(move |change| follow(&follower, change));
    session.workspace.change_folders(&[], folders);
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..InitializeResult::default()
    }
}

/// Starts to send messages: the client now accepts notifications and requests.
pub(super) fn initialized(session: &Session) {
    session.connection.start_sending();
    let features = session.connection.features();
    if features.server_status {
        status::follow(session.clone());
    }
    registrations::register(session);
    session.listings.may_watch();
    session.code.may_ask_for_sources();
    registrations::register_sources(session);
    if features.configuration {
        session.settings.ask_for_settings();
    }
}

/// Forwards a change of the workspace to the stores.
fn follow(session: &Session, change: WorkspaceChange) {
    let Session { listings, code, profiles, .. } = session;
    if matches!(change, WorkspaceChange::Folders | WorkspaceChange::LaunchFile { names_other_listings: true })
    {
        listings.changed();
        listings.watch();
    }
    if matches!(change, WorkspaceChange::LaunchFile { .. }) {
        code.patterns_may_have_changed();
        registrations::register_sources(session);
        profiles.may_have_changed();
    }
}

/// The workspace folders that a client names.
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    if let Some(folders) = params.workspace_folders.as_ref().filter(|folders| !folders.is_empty()) {
        return folders.iter().filter_map(|folder| file_path(&folder.uri)).collect();
    }
    #[expect(deprecated, reason = "older clients name their folder only here")]
    let one =
        params.root_uri.as_ref().and_then(file_path).or_else(|| params.root_path.as_ref().map(PathBuf::from));
    one.into_iter().collect()
}

/// True if the client has set a Boolean option in `initializationOptions` to true. The options are `costsOnly` (another
/// server serves the documents that this client opens), `lensCommand` (the client has the command `warplens.showPanel`)
/// and `tuneCommand` (the client has the command `warplens.tune`).
fn is_on(options: &serde_json::Value, name: &str) -> bool {
    let own = options.get("warplens").unwrap_or(options);
    own.get(name).and_then(serde_json::Value::as_bool).unwrap_or(false)
}

/// The capabilities that do not belong to a request.
pub(super) fn synchronisation(client: &ClientFeatures) -> ServerCapabilities {
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
        // Our own methods, which clients cannot see in any other field.
        experimental: Some(
            serde_json::json!({ "selectionCycles": true, "copyAs": true, "showSass": true, "showPtx": true, "compareCode": true, "profiles": true }),
        ),
        ..ServerCapabilities::default()
    }
}
