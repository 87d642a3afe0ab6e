//! The URIs of documents.

use std::path::PathBuf;
use tower_lsp_server::ls_types::Uri;

/// Schemes of documents that people edit. Documents of other schemes are earlier versions shown for comparison, whose
/// findings cannot be fixed.
pub(crate) const SCHEMES: [&str; 2] = ["file", "untitled"];

/// True if people edit the document: it is neither an earlier version nor generated from another document.
pub(crate) fn is_written(uri: &Uri) -> bool {
    SCHEMES.contains(&uri.scheme().as_str())
}

/// The path of a document on the disk; `None` if the document is not a file.
pub(crate) fn file_path(uri: &Uri) -> Option<PathBuf> {
    let is_file = uri.scheme().as_str().eq_ignore_ascii_case("file");
    is_file.then(|| uri.to_file_path()).flatten().map(std::borrow::Cow::into_owned)
}

/// The last part of a document's path, decoded.
pub(crate) fn file_name(uri: &Uri) -> String {
    uri.path().decode().to_string_lossy().rsplit('/').next().unwrap_or_default().to_owned()
}
