//! All that changes in a session, behind its lock.

use super::document::Document;
use super::listing_index::Changes;
use super::reading::Reading;
use super::root::Root;
use super::settings_origin::SettingsOrigin;
use ide::{Cancel, Host};
use std::collections::HashMap;
use tower_lsp_server::ls_types::Uri;

/// State of the session that changes.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) host: Host,
    pub(crate) documents: HashMap<Uri, Document>,
    pub(crate) settings: SettingsOrigin,
    /// The workspace's folders.
    pub(crate) roots: Vec<Root>,
    /// The document that the client last asked about or changed.
    pub(crate) active: Option<Uri>,
    /// Number of pieces of long work under way, by document.
    pub(crate) busy: HashMap<Uri, usize>,
    /// The document of each progress that the client shows, by the progress's token.
    pub(crate) shown: HashMap<String, Uri>,
    pub(crate) listings: Changes,
    pub(crate) reading: Reading,
    /// The tokens of documents that the vendor's tools are at work on, and of a folder's listings that are being read, by the URI of
    /// its `warplens.toml`.
    pub(crate) tool_runs: HashMap<Uri, Cancel>,
    /// The PTX that a listing was made of, by the name that the client has for the listing.
    pub(crate) sass_of: HashMap<Uri, Uri>,
    next_number: u64,
}

impl State {
    pub(super) fn new(host: Host) -> Self {
        Self {
            host,
            documents: HashMap::new(),
            settings: SettingsOrigin::default(),
            roots: Vec::new(),
            listings: Changes::default(),
            reading: Reading::default(),
            active: None,
            busy: HashMap::new(),
            shown: HashMap::new(),
            tool_runs: HashMap::new(),
            sass_of: HashMap::new(),
            next_number: 0,
        }
    }

    /// A number that nothing else has got.
    pub(crate) fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }
}
