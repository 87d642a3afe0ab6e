//! Which files of a project include a header.

use super::commands;
use crate::read::{BoundedFile, Stamp};
use ide::included_paths;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum number of files and folders of a project that are looked at.
const MAX_ENTRIES: usize = 50_000; // limit: seconds of reading
/// Maximum size of a file, in bytes.
const MAX_BYTES: u64 = 1 << 20; // limit: a longer file is generated
/// Maximum number of sources that are returned for a header.
const MAX_SOURCES: usize = 16; // limit: time, each is analysed with its headers
/// Time for which the directives are not read again.
const FRESH: Duration = Duration::from_secs(5);
/// Names of folders without sources.
const SKIPPED: [&str; 4] = [".git", "target", "node_modules", ".venv"];
/// Extensions of files that may include headers with CUDA code.
const EXTENSIONS: [&str; 10] = ["cu", "cuh", "h", "hh", "hpp", "hxx", "inl", "cc", "cpp", "cxx"];
/// Extension of sources, which are compiled by themselves.
const SOURCE: &str = "cu";

/// The `#include` directives of a project's files.
#[derive(Debug, Default)]
pub(super) struct IncludeGraph {
    root: PathBuf,
    /// Time of the last reading; `None` if nothing was read.
    read_at: Option<Instant>,
    /// Paths that each file includes, as written.
    files: HashMap<PathBuf, (Stamp, Vec<String>)>,
    /// Files by the names of the files that they include.
    by_name: HashMap<String, Vec<PathBuf>>,
}

impl IncludeGraph {
    /// Returns the sources that include a header, directly or through other headers, nearest first. Reads the files of the
    /// header's project that have changed, at most every few seconds. Empty for a source and for a header outside of projects.
    pub(super) fn sources_with(
        &mut self,
        header: &Path,
        workspace: Option<&Path>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Vec<PathBuf> {
        let has_extension = |path: &Path, of: &[&str]| {
            path.extension().and_then(OsStr::to_str).is_some_and(|own| of.contains(&own))
        };
        let Some(folder) = header.parent().filter(|_| !has_extension(header, &[SOURCE])) else {
            return Vec::new();
        };
        let Some(root) = commands::project_of(folder, workspace) else { return Vec::new() };
        if self.root != root || self.read_at.is_none_or(|at| at.elapsed() > FRESH) {
            self.read(root, is_stopped);
        }
        let (mut found, mut known) = (Vec::new(), HashSet::from([header.to_owned()]));
        let mut pending = VecDeque::from([header.to_owned()]);
        while let Some(path) = pending.pop_front() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            for includer in self.by_name.get(&*name).into_iter().flatten() {
                let includes = &self.files[includer].1;
                if !includes.iter().any(|written| may_name(written, &path)) || !known.insert(includer.clone())
                {
                    continue;
                }
                if !has_extension(includer, &[SOURCE]) {
                    pending.push_back(includer.clone());
                } else if found.len() < MAX_SOURCES {
                    found.push(includer.clone());
                }
            }
        }
        found
    }

    /// Reads the files below a folder that have changed.
    fn read(&mut self, root: PathBuf, is_stopped: &dyn Fn() -> bool) {
        let mut known = std::mem::take(&mut self.files);
        let mut pending = vec![root.clone()];
        let mut entries = 0;
        while let Some(folder) = pending.pop().filter(|_| !is_stopped() && entries < MAX_ENTRIES) {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                entries += 1;
                let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
                if kind.is_dir() && !SKIPPED.iter().any(|name| entry.file_name() == *name) {
                    pending.push(path);
                    continue;
                }
                let extension = path.extension().and_then(OsStr::to_str);
                if !kind.is_file() || !extension.is_some_and(|own| EXTENSIONS.contains(&own)) {
                    continue;
                }
                let Ok(stamp) = entry.metadata().map(|own| Stamp::from(&own)) else { continue };
                let read = match known.remove(&path).filter(|(of, _)| *of == stamp) {
                    Some((_, includes)) => Some(includes),
                    None => includes_of(&path, is_stopped),
                };
                self.files.extend(read.map(|includes| (path, (stamp, includes))));
            }
        }
        self.root = root;
        self.read_at = (!is_stopped()).then(Instant::now);
        self.by_name.clear();
        for (path, (_, includes)) in &self.files {
            for written in includes {
                let name = written.rsplit('/').next().unwrap_or(written);
                self.by_name.entry(name.to_owned()).or_default().push(path.clone());
            }
        }
        for includers in self.by_name.values_mut() {
            includers.sort();
            includers.dedup();
        }
    }
}

/// Returns the paths that a file includes; `None` if it cannot be read.
fn includes_of(path: &Path, is_stopped: &dyn Fn() -> bool) -> Option<Vec<String>> {
    let bytes = BoundedFile::regular(path, MAX_BYTES).and_then(|file| file.all(is_stopped)).ok()?;
    Some(included_paths(&String::from_utf8_lossy(&bytes)).map(str::to_owned).collect())
}

/// True if a path in an `#include` directive may name a file: all its parts after the last `..` are the end of the file's
/// path.
fn may_name(written: &str, file: &Path) -> bool {
    let parts: Vec<Component<'_>> = Path::new(written).components().collect();
    let start = parts.iter().rposition(|part| !matches!(part, Component::Normal(_))).map_or(0, |at| at + 1);
    file.ends_with(parts[start..].iter().collect::<PathBuf>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_through_headers() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        write("warplens.toml", "");
        let header = write("include/a/kernels.cuh", "");
        write("include/a/launch.h", "#include \"kernels.cuh\"\n");
        write("include/b/kernels.cuh", "");
        let through = write("src/one.cu", "#include <a/launch.h>\n");
        let direct = write("src/two.cu", "#include \"../include/a/kernels.cuh\"\n");
        write("src/other.cu", "#include <b/kernels.cuh>\n");
        let mut graph = IncludeGraph::default();
        let found = graph.sources_with(&header, None, &|| false);
        assert_eq!(found, [direct.clone(), through.clone()]);
        assert!(graph.sources_with(&direct, None, &|| false).is_empty());
        graph.read_at = None;
        fs::write(&direct, "#include <other/kernels.cuh>\n#include <vector>\n").unwrap();
        assert_eq!(graph.sources_with(&header, None, &|| false), [through]);
    }
}
