//! The listings for tests.

use std::fs;
use std::path::{Path, PathBuf};

/// A SASS text and its origin.
pub(crate) struct Sample {
    /// Path relative to the repository, or to the folder next to it.
    pub name: String,
    pub text: String,
}

/// The repository's listings and, if available, the listings in `../shared`. Reports a missing `../shared`.
pub(crate) fn all() -> Vec<Sample> {
    let mut samples = ours();
    samples.extend(shared());
    samples
}

/// The listings in `tests/corpus`.
pub(crate) fn ours() -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let samples = under(&root, &root);
    assert!(samples.len() >= 10, "the repository's own corpus is there");
    samples
}

fn shared() -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    if !root.is_dir() {
        testkit::left_out("../shared is not here, so only the repository's own listings are tested");
        return Vec::new();
    }
    ["corpus", "hardware"].iter().flat_map(|folder| under(&root.join(folder), &root)).collect()
}

/// A listing of the repository, by its path in `tests/corpus`.
pub(crate) fn our(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The listings in a folder, at any depth.
pub(crate) fn under(folder: &Path, root: &Path) -> Vec<Sample> {
    let sample = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let bytes = fs::read(&path).expect("a file can be read");
        Sample { name, text: String::from_utf8_lossy(&bytes).into_owned() }
    };
    paths_under(folder).into_iter().filter(|path| is_sass(path)).map(sample).collect()
}

/// The paths of the PTX files in a folder, at any depth.
pub(crate) fn ptx_under(folder: &Path) -> Vec<PathBuf> {
    let mut paths = paths_under(folder);
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "ptx"));
    paths
}

/// The files in a folder, at any depth, sorted within each folder.
fn paths_under(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder can be read").path())
        .collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { paths_under(&path) } else { vec![path] };
    paths.into_iter().flat_map(below).collect()
}

/// True for a listing or a source, judged by its name: the folders contain tables, PTX, CUDA and reports too.
fn is_sass(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let ending = name.rsplit('.').next().unwrap_or_default();
    matches!(ending, "sass" | "cuasm" | "dsass")
        || ending == "txt" && (name.contains("cuobjdump-sass") || name.contains("nvdisasm"))
}
