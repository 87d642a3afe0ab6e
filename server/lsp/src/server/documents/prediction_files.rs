//! Cache of full predictions in the user's cache folder: one file per prediction, in one folder per version of the
//! program.
//!
//! A file begins with the inputs of its prediction, which the reader checks, so a damaged file counts as missing.

use crate::read::{BoundedFile, cache_folder, never};
use ide::PredictionStore;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

/// Maximum size of a file, in bytes: enough for a kernel with some hundred thousand instructions.
const MAX_FILE_BYTES: u64 = 8 << 20; // limit: a kernel with some hundred thousand instructions
/// Maximum total size of the files of all versions, in bytes, and maximum number of files.
const MAX_BYTES: u64 = 64 << 20; // limit: disk space of the cache
const MAX_FILES: usize = 4_000; // limit: time to list the folder
/// Number of files written between two checks of these limits.
const LOOK: usize = 64; // limit: a look takes as long as some writes

/// The files of one version of the program.
#[derive(Debug)]
pub(crate) struct PredictionFiles {
    /// The folder with all versions.
    all: PathBuf,
    own: PathBuf,
    written: AtomicUsize,
}

impl PredictionFiles {
    /// Opens the cache; `None` if the user has no cache folder, or if this build of the program cannot be identified.
    pub(crate) fn in_cache_folder() -> Option<Arc<Self>> {
        Some(Arc::new(Self::new(cache_folder()?.join("predictions"), &version()?)))
    }

    fn new(all: PathBuf, version: &str) -> Self {
        let own = all.join(version);
        Self { all, own, written: AtomicUsize::new(0) }
    }

    fn place(&self, key: &str) -> PathBuf {
        self.own.join(key)
    }

    fn insert(&self, key: &str, text: &str) -> io::Result<()> {
        if text.len() as u64 > MAX_FILE_BYTES {
            return Ok(());
        }
        fs::create_dir_all(&self.own)?;
        // Written atomically, because several servers may write the same file.
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.own)?;
        file.write_all(text.as_bytes())?;
        file.persist(self.place(key)).map_err(|error| error.error)?;
        if self.written.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOK) {
            forget_oldest(&self.all, MAX_BYTES, MAX_FILES);
        }
        Ok(())
    }
}

impl PredictionStore for PredictionFiles {
    fn read(&self, key: &str) -> Option<String> {
        let bytes =
            BoundedFile::regular(&self.place(key), MAX_FILE_BYTES).and_then(|file| file.all(&never)).ok()?;
        String::from_utf8(bytes).ok()
    }

    fn write(&self, key: &str, text: &str) {
        if let Err(error) = self.insert(key, text) {
            tracing::debug!("a prediction is not kept: {error}");
        }
    }
}

/// A name for this build of the program. Figures computed by another build's model are never read. `None` if
/// the build cannot be identified.
fn version() -> Option<String> {
    let program = fs::metadata(std::env::current_exe().ok()?).ok()?;
    let built = program.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let mut hasher = DefaultHasher::new();
    (program.len(), built.as_nanos()).hash(&mut hasher);
    Some(format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), hasher.finish()))
}

/// Removes the oldest files of all versions until the remaining files are within these limits; then removes
/// empty folders.
fn forget_oldest(all: &Path, max_bytes: u64, max_files: usize) {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries(all)
        .flat_map(|version| entries(&version.path()))
        .filter_map(|file| {
            let about = file.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((about.modified().ok()?, about.len(), file.path()))
        })
        .collect();
    files.sort_unstable_by(|one, other| other.cmp(one));
    let mut bytes = 0;
    for (number, (_, length, path)) in files.iter().enumerate() {
        bytes += length;
        if bytes > max_bytes || number >= max_files {
            // Another server may have removed the file already.
            drop(fs::remove_file(path));
        }
    }
    for version in entries(all) {
        // A folder that is not empty stays.
        drop(fs::remove_dir(version.path()));
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests read their own files")]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_and_no_other_version_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (
            PredictionFiles::new(folder.path().join("a"), "1"),
            PredictionFiles::new(folder.path().join("a"), "2"),
        );
        assert_eq!(one.read("k"), None);
        one.write("k", "question\nanswer");
        one.write("k", "question\nbetter");
        assert_eq!(one.read("k").as_deref(), Some("question\nbetter"));
        assert_eq!(other.read("k"), None);
        fs::write(one.place("k"), [0xff, 0xfe]).unwrap();
        assert_eq!(one.read("k"), None, "damaged");
        assert!(version().is_some());
    }

    #[test]
    fn the_oldest_files_go_first() {
        let folder = tempfile::tempdir().unwrap();
        let place = |version: &str, name: &str| folder.path().join(version).join(name);
        for (at, (version, name)) in [("1", "a"), ("2", "b"), ("2", "c")].into_iter().enumerate() {
            fs::create_dir_all(folder.path().join(version)).unwrap();
            fs::write(place(version, name), "12345").unwrap();
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000 * (at as u64 + 1));
            fs::File::options().write(true).open(place(version, name)).unwrap().set_modified(time).unwrap();
        }
        forget_oldest(folder.path(), 100, 2);
        assert!(!folder.path().join("1").exists() && place("2", "b").exists() && place("2", "c").exists());
        forget_oldest(folder.path(), 9, 100);
        assert!(!place("2", "b").exists() && place("2", "c").exists());
    }
}
