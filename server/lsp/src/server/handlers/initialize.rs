//! `initialize`: what both sides can do.

use crate::server::abilities::Abilities;
use crate::server::faults::Faults;
use crate::server::session::{Greeting, Session};
use crate::server::{table, workspace};
use tower_lsp_server::ls_types::{
    InitializeParams, InitializeResult, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions,
};

/// Settings and the launch context are in force before any document can be opened.
pub(in crate::server) fn handle(session: &Session, params: InitializeParams) -> InitializeResult {
    let root = workspace::root(&params);
    let options = params.initialization_options.unwrap_or_default();
    let abilities = Abilities::read(&params.capabilities);
    let capabilities = table::capabilities(&abilities);
    session.greet(Greeting { abilities, faults: Faults::read(&options), root });
    session.take_options(options);
    session.read_launches();
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..InitializeResult::default()
    }
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
        ..ServerCapabilities::default()
    }
}
