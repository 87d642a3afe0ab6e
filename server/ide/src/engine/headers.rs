//! Headers that CUDA sources include: which files they are, and their declarations.

use super::cuda_text::CudaText;
use super::hashing::hash_of;
use super::other_launches::{HeaderLaunch, OtherLaunches};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use syntax::cuda::{Include, Included, Source, includes};

/// Maximum number of headers of one source.
const MAX_HEADERS: usize = 512; // limit: time and memory of one source
/// Maximum number of bytes of all headers of one source.
const MAX_BYTES: usize = 16 << 20; // limit: time and memory of one source

/// Parsed headers, which all sources share.
#[derive(Debug, Default)]
pub struct Headers {
    parsed: Mutex<FxHashMap<PathBuf, Arc<Source>>>,
    launches: Mutex<FxHashMap<PathBuf, KnownLaunches>>,
}

/// Launches of kernels of headers by a source.
#[derive(Debug)]
struct KnownLaunches {
    /// Hash of the source and of its headers.
    of: u64,
    launches: Arc<[HeaderLaunch]>,
}

/// Reads the files in which headers may be.
pub trait HeaderFiles {
    /// Returns the text of a file; `None` if there is no such file or if it cannot be read.
    fn read(&self, path: &Path) -> Option<Arc<str>>;
}

/// Folders in which the compiler searches for headers, and the macros that its command line defines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IncludeSearch {
    /// Folders in the order of the search.
    pub folders: Vec<PathBuf>,
    /// Each macro as an option defines it: `NAME` or `NAME=TEXT`.
    pub macros: Vec<String>,
}

/// A search for the headers of one source.
struct Search<'a> {
    headers: &'a Headers,
    folders: &'a [PathBuf],
    files: &'a dyn HeaderFiles,
    /// The source itself, and the headers that were found so far.
    known: FxHashSet<PathBuf>,
    /// Headers in the order in which the compiler reads their ends.
    found: Vec<(PathBuf, Arc<Source>)>,
    bytes: usize,
}

impl Headers {
    /// Reads the headers that a source at `path` includes, directly or through others. Headers that no folder of the
    /// search has are left out, such as those of the compiler. `None` if the source includes none and defines no macro.
    pub fn collect(
        &self,
        path: &Path,
        text: &str,
        search: &IncludeSearch,
        files: &dyn HeaderFiles,
    ) -> Option<Arc<Included>> {
        let found = self.find(path, text, &search.folders, files);
        let macros = defined(&search.macros);
        if found.is_empty() && macros.is_none() {
            return None;
        }
        let given = macros.iter().map(|source| (Arc::from("the command line"), source));
        let headers = found.iter().map(|(path, source)| (path.display().to_string().into(), &**source));
        Some(Arc::new(Source::included(given.chain(headers))))
    }

    /// Returns the headers that a source includes, in the order in which the compiler reads their ends.
    fn find(
        &self,
        path: &Path,
        text: &str,
        folders: &[PathBuf],
        files: &dyn HeaderFiles,
    ) -> Vec<(PathBuf, Arc<Source>)> {
        let known = FxHashSet::from_iter([normal(path)]);
        let mut search = Search { headers: self, folders, files, known, found: Vec::new(), bytes: 0 };
        search.follow(path, text);
        search.found
    }

    /// Returns the launches of a header's kernels by the host code of sources, which include the header. Each source
    /// comes with the search for its headers. Stops early if `is_stopped` returns true.
    pub fn launches_of(
        &self,
        header: &Path,
        sources: impl IntoIterator<Item = (PathBuf, IncludeSearch)>,
        files: &dyn HeaderFiles,
        is_stopped: &dyn Fn() -> bool,
    ) -> OtherLaunches {
        let header = normal(header).display().to_string();
        let mut found = OtherLaunches::default();
        for (path, search) in sources {
            if is_stopped() {
                break;
            }
            let Some(text) = files.read(&path) else { continue };
            let included = self.collect(&path, &text, &search, files);
            let all = self.launches_by(&path, &text, included);
            found.extend(all.iter().filter(|own| *own.header == header).map(|own| own.launch.clone()));
        }
        found
    }

    /// Returns the launches of kernels of headers by a source. Computed again if the source or its headers changed.
    fn launches_by(&self, path: &Path, text: &str, included: Option<Arc<Included>>) -> Arc<[HeaderLaunch]> {
        let known = || self.launches.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = hash_of(&(text, included.as_ref().map(|included| included.hash())));
        if let Some(known) = known().get(path).filter(|known| known.of == hash) {
            return Arc::clone(&known.launches);
        }
        let source = self.parsed(path, text);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let found: Arc<[HeaderLaunch]> =
            CudaText::of_source(&source).launches_of_headers(&name, included).into();
        known().insert(path.to_owned(), KnownLaunches { of: hash, launches: Arc::clone(&found) });
        found
    }

    /// Returns a header, parsed again if its text changed.
    fn parsed(&self, path: &Path, text: &str) -> Arc<Source> {
        let parsed = || self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = parsed().get(path).cloned();
        if let Some(known) = known.filter(|known| **known.text() == *text) {
            return known;
        }
        let source = Arc::new(Source::parse(text));
        parsed().insert(path.to_owned(), Arc::clone(&source));
        source
    }
}

impl Search<'_> {
    /// Adds the headers that a file includes, each after the headers that it includes.
    fn follow(&mut self, path: &Path, text: &str) {
        let folder = path.parent().unwrap_or(Path::new(""));
        for include in includes(text) {
            let Some((path, text)) = self.find(folder, &include) else { continue };
            self.bytes += text.len();
            if self.found.len() >= MAX_HEADERS || self.bytes > MAX_BYTES {
                return;
            }
            self.follow(&path, &text);
            let source = self.headers.parsed(&path, &text);
            self.found.push((path, source));
        }
    }

    /// Finds a header that was not found before.
    fn find(&mut self, folder: &Path, include: &Include<'_>) -> Option<(PathBuf, Arc<str>)> {
        let own = include.is_quoted.then_some(folder);
        for folder in own.into_iter().chain(self.folders.iter().map(PathBuf::as_path)) {
            let path = normal(&folder.join(include.path));
            if self.known.contains(&path) {
                return None;
            }
            if let Some(text) = self.files.read(&path) {
                self.known.insert(path.clone());
                return Some((path, text));
            }
        }
        None
    }
}

/// Returns the macros of the command line as a source.
fn defined(macros: &[String]) -> Option<Source> {
    let line = |given: &String| match given.split_once('=') {
        Some((name, text)) => format!("#define {name} {text}\n"),
        None => format!("#define {given} 1\n"),
    };
    let text: String = macros.iter().filter(|given| !given.contains('\n')).map(line).collect();
    (!text.is_empty()).then(|| Source::parse(&text))
}

/// Returns a path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut all = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if all.file_name().is_some() => {
                all.pop();
            }
            other => all.push(other),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files(Vec<(&'static str, &'static str)>);

    impl HeaderFiles for Files {
        fn read(&self, path: &Path) -> Option<Arc<str>> {
            self.0.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).into())
        }
    }

    #[test]
    fn headers_are_found_as_the_compiler_finds_them() {
        let files = Files(vec![
            ("/p/src/a.h", "#include \"../b.h\"\n#include <c.h>\n"),
            ("/p/b.h", "#include \"src/a.h\"\n#define B WIDE\n"),
            ("/p/include/c.h", "int c;\n"),
            ("/p/include/a.h", "int wrong;\n"),
        ]);
        let search = IncludeSearch { folders: vec!["/p/include".into()], macros: vec!["WIDE=4".into()] };
        let headers = Headers::default();
        let text = "#include \"a.h\"\n#include <cuda.h>\n";
        let found = headers.find(Path::new("/p/src/k.cu"), text, &search.folders, &files);
        let paths: Vec<&str> = found.iter().filter_map(|(path, _)| path.to_str()).collect();
        assert_eq!(paths, ["/p/b.h", "/p/include/c.h", "/p/src/a.h"]);
        let none = IncludeSearch::default();
        assert!(headers.collect(Path::new("/p/k.cu"), "#include <cuda.h>\n", &none, &files).is_none());
    }
}
