//! Headers that CUDA sources include, parsed once, and the sources that include headers.

use super::headers::{self, OnDisk};
use super::includers::IncludeGraph;
use ide::{Headers, IncludeSearch, Surroundings};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files around CUDA sources; cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeaderStore {
    parsed: Arc<Headers>,
    files: Arc<OnDisk>,
    graph: Arc<Mutex<IncludeGraph>>,
}

/// Searches for the headers of sources, which read the compilation database once per source: it may have hundreds of
/// megabytes.
#[derive(Debug, Default)]
pub(crate) struct KnownSearches {
    /// Arguments and folder of the `warplens.toml` that the searches follow.
    stated: Vec<String>,
    folder: Option<PathBuf>,
    of: HashMap<PathBuf, IncludeSearch>,
}

impl KnownSearches {
    /// Sets the arguments that a `warplens.toml` in `folder` states. Forgets the searches if they differ from before.
    pub(crate) fn follow(&mut self, stated: &[String], folder: Option<&Path>) {
        if self.stated != stated || self.folder.as_deref() != folder {
            *self = Self { stated: stated.to_vec(), folder: folder.map(Path::to_owned), of: HashMap::new() };
        }
    }

    fn search(
        &mut self,
        path: &Path,
        workspace: Option<&Path>,
        is_stopped: &dyn Fn() -> bool,
    ) -> &IncludeSearch {
        let (stated, folder) = (&self.stated, self.folder.as_deref());
        let search = || headers::search(path, stated, folder, workspace, is_stopped);
        self.of.entry(path.to_owned()).or_insert_with(search)
    }
}

impl HeaderStore {
    /// Returns the headers that a text includes, and the launches of its kernels by sources that include it. `workspace`
    /// bounds the folders that are read. `None` if there are neither.
    pub(crate) fn surroundings(
        &self,
        path: &Path,
        text: &str,
        workspace: Option<&Path>,
        searches: &mut KnownSearches,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<Surroundings> {
        let search = searches.search(path, workspace, is_stopped);
        let included = self.parsed.collect(path, text, search, &*self.files);
        let mut graph = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
        let sources = graph.sources_with(path, workspace, is_stopped);
        drop(graph);
        let sources = sources.into_iter().map(|source| {
            let search = searches.search(&source, workspace, is_stopped).clone();
            (source, search)
        });
        let launches = self.parsed.launches_of(path, sources, &*self.files, is_stopped);
        Surroundings::new(included, launches)
    }
}
