//! All of a session that changes, under its lock.

use crate::server::code::cubin_watch::Cubins;
use crate::server::documents::document::Document;
use crate::server::documents::known_tunings::VariantCodes;
use crate::server::workspace::listing_index::Changes;
use crate::server::profiles::files::ProfileFiles;
use crate::server::workspace::root::Root;
use crate::server::documents::wanted_figures::Figures;
use ide::{Cancel, Host};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Instant;
use tower_lsp_server::ls_types::Uri;

/// State of the session that changes.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) host: Host,
    pub(crate) documents: HashMap<Uri, Document>,
    pub(crate) settings: SettingsOrigin,
    /// The workspace's folders.
    pub(crate) roots: Vec<Root>,
    /// Folders outside the workspace with an open `warplens.toml`, which has no effect.
    pub(crate) strays: Vec<Root>,
    /// The document that the client last asked about or changed.
    pub(crate) active: Option<Uri>,
    /// Number of pieces of long work under way, by document.
    pub(crate) busy: HashMap<Uri, usize>,
    /// The document of each progress that the client shows, by the progress's token.
    pub(crate) shown: HashMap<String, Uri>,
    pub(crate) listings: Changes,
    pub(crate) reading: Reading,
    /// The tokens of documents that the vendor's tools are at work on; of a folder's listings that are being read, by the URI of
    /// its `warplens.toml`; and of a command that is being profiled, by that of the folder of its report.
    pub(crate) tool_runs: HashMap<Uri, Cancel>,
    /// The PTX that a listing was made of, by the name that the client has for the listing.
    pub(crate) sass_of: HashMap<Uri, Uri>,
    /// Code of variants that were compiled, whichever document they are of.
    pub(crate) variants: VariantCodes,
    pub(crate) cubins: Cubins,
    pub(crate) figures: Figures,
    pub(crate) profiles: ProfileFiles,
    /// Commands that the user has agreed to run, each with the folder that it runs in.
    pub(crate) agreed: HashSet<(PathBuf, Vec<String>)>,
    next_number: u64,
}

impl State {
    /// A number that nothing else has got.
    pub(crate) fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// Whether a folder's file names a Triton kernel to tune.
    pub(crate) fn tunes_triton(&self) -> bool {
        let mut files = self.roots.iter().filter_map(|root| root.launches.as_ref());
        files.any(|file| file.tunings.iter().any(ide::StatedTuning::is_of_triton))
    }
}

/// Origin of the settings in force; the settings themselves are the engine's.
#[derive(Debug, Default)]
pub(crate) struct SettingsOrigin {
    /// `initializationOptions`: what later settings do not name keeps this value.
    pub(crate) options: Value,
    /// The latest question to the client; an answer to an earlier one is out of date.
    pub(crate) asked: u64,
    /// Problems of the latest settings, in one line.
    pub(crate) complaint: Option<String>,
}

/// The reading of the folders' `warplens.toml` that is under way.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// When it began, and what stops it.
    pub(crate) under_way: Option<(Instant, Cancel)>,
    /// Files have changed since it began.
    pub(crate) again: bool,
    /// Dropped when there is nothing more to read.
    pub(crate) waiting: Vec<mpsc::Sender<()>>,
}
