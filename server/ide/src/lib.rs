//! The boundary between the engine and its clients: plain data in, plain data out.
//!
//! A [`Host`] holds the open documents and the configuration; [`Host::snapshot`] gives an immutable [`Analysis`] of one
//! document, on which every request is answered. Places are byte offsets in the document's text; no editor's types.

mod analysis;
pub mod binary;
mod config;
mod findings;
mod folds;
mod hints;
mod host;
mod hover;
mod kernel;
mod launch;
mod launch_file;
mod lenses;
mod live;
pub mod names;
mod navigate;
mod plain;
pub mod report;
mod semantic;
mod stated;
mod summary;
mod symbols;
mod target;

pub use analysis::Analysis;
pub use config::{Config, ConfigError, HintKinds, RuleLevel};
pub use findings::{RuleInfo, rule_page, rules};
pub use host::{DocumentId, Host};
pub use launch_file::{LaunchEntry, LaunchFile};
pub use model::launch::Stating;
pub use navigate::{
    CallItem, CallSite, FoundSymbol, Reference, SourceLink, Target as NavigationTarget, Usage,
};
pub use plain::{
    Cancel, Cancelled, Diagnostic, Fold, FoldKind, Hint, HintKind, Hover, Lens, LensPlace, Related,
    SemanticKind, SemanticToken, Severity, Symbol, SymbolKind, TextEdit,
};
pub use summary::Summary;
