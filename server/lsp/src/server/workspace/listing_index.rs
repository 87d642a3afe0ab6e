//! Index of the functions in listings that are not open, and the pending changes to the files.

use crate::read::Stamp;
use ide::{Cancel, Cancelled, NamedFunction};
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use tower_lsp_server::ls_types::{FileSystemWatcher, Location};

/// A listing that no editor has open.
#[derive(Debug)]
pub(crate) struct IndexedListing {
    pub(crate) stamp: Stamp,
    /// The functions in text order, each with the location of its name.
    pub(crate) functions: Vec<(NamedFunction, Location)>,
}

/// Index of the functions in the files. Only one job changes it at a time.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) files: BTreeMap<PathBuf, IndexedListing>,
    /// Number of the last change that the index includes; `None` before the first update.
    pub(crate) as_of: Option<u64>,
    /// The lines about omitted files that were last written to the log.
    pub(crate) reported: Vec<String>,
}

/// Changes to the files since they were read.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) number: u64,
    /// Files to read again even if their time and size are unchanged.
    pub(crate) files: HashSet<PathBuf>,
    /// Stops the background read when its result is no longer wanted.
    pub(crate) background: Cancel,
    /// True if the server may request that the client watches files.
    pub(crate) may_register: bool,
    /// Name of the current registration with the client, and the watchers that it registered.
    pub(crate) registration: Option<(String, Vec<FileSystemWatcher>)>,
}

/// A kernel or function that a search found.
#[derive(Debug)]
pub(crate) struct FoundFunction {
    pub(crate) rank: u32,
    pub(crate) name: String,
    pub(crate) is_kernel: bool,
    pub(crate) location: Location,
}

impl Index {
    pub(crate) fn search(
        &self,
        query: &str,
        most: usize,
        open: &HashSet<PathBuf>,
        cancel: &Cancel,
    ) -> Result<Vec<FoundFunction>, Cancelled> {
        let mut found = Vec::new();
        for (_, file) in self.files.iter().filter(|(path, _)| !open.contains(*path)) {
            cancel.check()?;
            let hits = file
                .functions
                .iter()
                .filter_map(|(function, location)| Some((function.rank(query)?, function, location)));
            let mut hits: Vec<_> = hits.collect();
            hits.sort_by_key(|(rank, ..)| *rank);
            found.extend(hits.into_iter().take(most).map(|(rank, function, location)| FoundFunction {
                rank,
                name: function.name.clone(),
                is_kernel: function.is_kernel,
                location: location.clone(),
            }));
        }
        Ok(found)
    }
}
