//! A folder with a `warplens.toml` for one test.

use std::path::PathBuf;
use tempfile::TempDir;

/// A test folder that is removed at the end.
pub(crate) struct Folder {
    path: PathBuf,
    /// The temporary folder to remove; `None` for a folder within another.
    whole: Option<TempDir>,
}

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let prefix = format!("warplens-{name}-");
        let whole = tempfile::Builder::new().prefix(&prefix).tempdir().expect("the folder can be made");
        Self { path: whole.path().to_owned(), whole: Some(whole) }
    }

    /// Creates a folder inside this folder.
    pub(crate) fn inner(&self, name: &str) -> Self {
        let path = self.file(name);
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self { path, whole: None }
    }

    /// Creates a folder inside this folder, and keeps this folder alive as long as the new one.
    pub(crate) fn into_inner(self, name: &str) -> Self {
        let Self { path, whole } = self.inner(name);
        Self { path, whole: whole.or(self.whole) }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn write(&self, text: &str) {
        std::fs::write(self.file("warplens.toml"), text).expect("the file can be written");
    }

    pub(crate) fn uri(&self) -> String {
        format!("file://{}", self.path.display())
    }
}
