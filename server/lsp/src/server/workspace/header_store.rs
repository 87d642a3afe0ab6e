//! Headers that the open documents include, parsed once, and the sources that include open headers.

use crate::build::headers::{self, OnDisk};
use crate::build::includers::IncludeGraph;
use ide::{Headers, IncludeSearch, Surroundings};
use ropey::Rope;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Headers that the documents include; cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeaderStore {
    parsed: Arc<Headers>,
    files: Arc<OnDisk>,
    graph: Arc<Mutex<IncludeGraph>>,
}

/// The search for the headers of a document, and the arguments of `warplens.toml` that it follows.
pub(super) type KnownSearch = (Vec<String>, IncludeSearch);

impl HeaderStore {
    /// Returns what other files tell about a text, and the search that found its headers. `known` is the search for the
    /// same document with the same arguments.
    pub(super) fn surroundings(
        &self,
        path: &Path,
        text: &Rope,
        folder: Option<&Path>,
        stated: Vec<String>,
        known: Option<KnownSearch>,
        is_stopped: &dyn Fn() -> bool,
    ) -> (Option<Surroundings>, KnownSearch) {
        let search = known.unwrap_or_else(|| {
            let search = headers::search(path, &stated, folder, folder, is_stopped);
            (stated, search)
        });
        let included = self.parsed.collect(path, &text.to_string(), &search.1, &*self.files);
        let mut graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        let sources = graph.sources_with(path, folder, is_stopped);
        drop(graph);
        let sources = sources.into_iter().map(|source| {
            let search = headers::search(&source, &search.0, folder, folder, is_stopped);
            (source, search)
        });
        let launches = self.parsed.launches_of(path, sources, &*self.files, is_stopped);
        (Surroundings::new(included, launches), search)
    }
}
