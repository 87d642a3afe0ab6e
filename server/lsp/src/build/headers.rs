//! Where the headers of a CUDA source are.

use super::commands;
use crate::read::{BoundedFile, Stamp, never};
use ide::{HeaderFiles, IncludeSearch};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum size of a header, in bytes.
const MAX_BYTES: u64 = 4 << 20; // limit: a longer file is generated

/// Files on the disk. A file is read again only if it has changed.
#[derive(Debug, Default)]
pub(super) struct OnDisk {
    known: Mutex<HashMap<PathBuf, (Stamp, Arc<str>)>>,
}

impl HeaderFiles for OnDisk {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        let stamp = Stamp::from(&fs::metadata(path).ok()?);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = known().get(path).filter(|(known, _)| *known == stamp) {
            return Some(Arc::clone(text));
        }
        let bytes = BoundedFile::regular(path, MAX_BYTES).and_then(|file| file.all(&never)).ok()?;
        let text: Arc<str> = String::from_utf8_lossy(&bytes).into();
        known().insert(path.to_owned(), (stamp, Arc::clone(&text)));
        Some(text)
    }
}

/// Returns where to search for the headers of a source at `path`, which is absolute: the folders and macros of its
/// build. If the compilation database has no entry for the source, also the folders of its project in which headers
/// usually are: `include` and the folder itself, for each folder from the source up to the root of the project.
pub(super) fn search(
    path: &Path,
    stated: &[String],
    folder: Option<&Path>,
    workspace: Option<&Path>,
    is_stopped: &dyn Fn() -> bool,
) -> IncludeSearch {
    let build = commands::build_flags(path, stated, folder, workspace, is_stopped);
    let mut search = IncludeSearch {
        folders: build.flags.header_folders().map(Path::to_owned).collect(),
        macros: build.flags.macros().map(str::to_owned).collect(),
    };
    if let Some(own) = path.parent().filter(|_| !build.has_entry) {
        let root = commands::root_of(own, workspace);
        let folders = own.ancestors().take_while(|folder| folder.starts_with(&root));
        let folders = folders.flat_map(|folder| [folder.join("include"), folder.to_owned()]);
        search.folders.extend(folders.filter(|folder| folder.is_dir()));
    }
    search
}
