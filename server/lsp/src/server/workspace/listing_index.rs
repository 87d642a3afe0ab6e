//! The functions of listings that are not open, and the changes to the files since they were read.

use crate::server::workspace::listing_files::Stamp;
use ide::{Cancel, Cancelled, NamedFunction};
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use tower_lsp_server::ls_types::{FileSystemWatcher, Location};

/// A listing that is not open.
#[derive(Debug)]
pub(crate) struct Indexed {
    pub(crate) stamp: Stamp,
    /// In text order, each with the place of its name.
    pub(crate) functions: Vec<(NamedFunction, Location)>,
}

/// Index of the functions in the files; one piece of work at a time changes it.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) files: BTreeMap<PathBuf, Indexed>,
    /// The change that it was last brought up to.
    pub(crate) as_of: Option<u64>,
    /// The lines on what is left out that were last written to the log.
    pub(crate) told: Vec<String>,
}

/// Changes to the files since they were read.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) number: u64,
    /// Read again even where time and size are the same.
    pub(crate) files: HashSet<PathBuf>,
    /// Stops a reading whose result is no longer wanted.
    pub(crate) background: Cancel,
    /// The client may be asked to watch.
    pub(crate) may_register: bool,
    /// The name of the registration in force, and what the client watches by it.
    pub(crate) registration: Option<(String, Vec<FileSystemWatcher>)>,
}

/// A kernel or function that a search found.
#[derive(Debug)]
pub(crate) struct Hit {
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
    ) -> Result<Vec<Hit>, Cancelled> {
        let mut found = Vec::new();
        for (_, file) in self.files.iter().filter(|(path, _)| !open.contains(*path)) {
            cancel.check()?;
            let hits = file
                .functions
                .iter()
                .filter_map(|(function, location)| Some((function.rank(query)?, function, location)));
            let mut hits: Vec<_> = hits.collect();
            hits.sort_by_key(|(rank, ..)| *rank);
            found.extend(hits.into_iter().take(most).map(|(rank, function, location)| Hit {
                rank,
                name: function.name.clone(),
                is_kernel: function.is_kernel,
                location: location.clone(),
            }));
        }
        Ok(found)
    }
}
