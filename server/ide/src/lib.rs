//! The boundary between the engine and its clients: plain data in, plain data out.
//!
//! A [`Host`] holds the open documents and the configuration; [`Host::snapshot`] gives an immutable [`Analysis`] of one
//! document, on which every request is answered. Places are byte offsets in the document's text; no editor's types.

mod analysis;
mod config;
mod host;
mod plain;
pub mod report;

pub use analysis::Analysis;
pub use config::{Config, ConfigError, HintKinds, LaunchFile, RuleLevel};
pub use host::{DocumentId, Host};
pub use plain::{
    Cancel, Cancelled, Diagnostic, Fold, FoldKind, Hint, HintKind, Hover, Lens, Related, SemanticKind,
    SemanticToken, Severity, Symbol, SymbolKind, TextEdit,
};
