//! A folder with a `warplens.toml`, for one test.

use std::path::PathBuf;

/// Removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("warplens-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self(path)
    }

    /// A folder in it.
    pub(crate) fn inner(&self, name: &str) -> Self {
        let path = self.0.join(name);
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, text: &str) {
        std::fs::write(self.file("warplens.toml"), text).expect("the file can be written");
    }

    pub(crate) fn uri(&self) -> String {
        format!("file://{}", self.0.display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
