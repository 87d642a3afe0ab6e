//! Headers that the open documents include, parsed once.

use crate::build::headers::{self, OnDisk};
use crate::read::never;
use ide::{Headers, IncludeSearch, IncludedHeaders};
use ropey::Rope;
use std::path::Path;
use std::sync::Arc;

/// Headers that the documents include; cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeaderStore {
    parsed: Arc<Headers>,
    files: Arc<OnDisk>,
}

/// The search for the headers of a document, and the arguments of `warplens.toml` that it follows.
pub(super) type KnownSearch = (Vec<String>, IncludeSearch);

impl HeaderStore {
    /// Returns the headers of a text, and the search that found them. `known` is the search for the same document with
    /// the same arguments.
    pub(super) fn collect(
        &self,
        path: &Path,
        text: &Rope,
        folder: Option<&Path>,
        stated: Vec<String>,
        known: Option<KnownSearch>,
    ) -> (Option<IncludedHeaders>, KnownSearch) {
        let search = known.unwrap_or_else(|| {
            let search = headers::search(path, &stated, folder, folder, &never);
            (stated, search)
        });
        (self.parsed.collect(path, &text.to_string(), &search.1, &*self.files), search)
    }
}
