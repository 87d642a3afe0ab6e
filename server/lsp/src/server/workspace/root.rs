//! A folder of the workspace, with its `warplens.toml`.

use crate::data_files::DataFiles;
use ide::LaunchFile;
use ropey::Rope;
use std::path::PathBuf;
use tower_lsp_server::ls_types::{Diagnostic, Uri};

/// One folder of the workspace.
#[derive(Debug, Default)]
pub(crate) struct Root {
    pub(crate) path: PathBuf,
    /// The contents of the folder's file that are in use.
    pub(crate) launches: Option<LaunchFile>,
    /// The reason why the file cannot be read, in one line.
    pub(crate) unreadable: Option<String>,
    /// One line about the problems of the file; `None` if it has none.
    pub(crate) complaint: Option<String>,
    /// The file's text when it was last read; `None` if the file does not exist.
    pub(crate) on_disk: Option<String>,
    /// The data files that this text names.
    pub(crate) data: DataFiles,
    /// The file as open in an editor; `None` if it is not open.
    pub(crate) open: Option<OpenFile>,
    /// Problems that the client shows in the file.
    pub(crate) shown: Vec<Diagnostic>,
}

impl Root {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path, ..Self::default() }
    }

    /// The folder's name in the engine.
    pub(crate) fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// The file's URI, version and text, from the editor that has the file open, otherwise from the disk.
    /// `None` if the folder's path has no URI.
    pub(crate) fn text(&self) -> Option<(Uri, Option<i32>, Rope)> {
        Some(match &self.open {
            Some(open) => (open.uri.clone(), Some(open.version), open.text.clone()),
            None => (self.uri()?, None, Rope::from_str(self.on_disk.as_deref().unwrap_or_default())),
        })
    }

    /// The URI of the folder's `warplens.toml`.
    pub(crate) fn uri(&self) -> Option<Uri> {
        Uri::from_file_path(self.path.join(FILE))
    }
}

pub(crate) const FILE: &str = "warplens.toml";

/// A file that an editor has open.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) text: Rope,
}
