//! Index of the cubins in the files that `cubins` in `warplens.toml` names, and of the sources that each cubin was
//! compiled from.

use crate::read::{BINARY_BYTES, BoundedFile, Stamp};
use ide::binary::{self, Content, Cubin, Lines};
use ide::{Cancel, Cancelled, CubinPattern, PathPattern};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A folder and the patterns of `cubins` in its `warplens.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CubinPatterns {
    pub(crate) folder: PathBuf,
    pub(crate) patterns: Vec<CubinPattern>,
}

/// Limits of the search. Files beyond these limits are skipped and reported in the log.
const MAX_FILES: usize = 20_000; // limit: memory of the index
const MAX_ENTRIES: usize = 400_000; // limit: seconds of search on a slow disk

/// Maximum number of sources kept per cubin.
const MAX_SOURCES: usize = 4096; // limit: memory of the index

/// A cubin, alone in a file or inside a fat binary or a program: its kernels, and the sources it was compiled from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) file: PathBuf,
    /// The entry of a fat binary or program that holds the cubin; `None` if the file itself is the cubin.
    within: Option<binary::Member>,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) sm: u16,
    /// Names of the kernels, as the cubin spells them.
    pub(crate) kernels: Vec<String>,
    /// The paths of sources, as the compiler wrote them.
    sources: Vec<String>,
}

/// All known cubins that have a line table, by file.
#[derive(Debug, Default)]
pub(crate) struct CubinIndex {
    files: BTreeMap<PathBuf, (Stamp, Vec<Member>)>,
    /// Sources whose code changed in an update that was cancelled before it returned. The next update returns them.
    unreported: BTreeSet<String>,
    /// Log lines about skipped files.
    pub(crate) left_out: Vec<String>,
}

impl CubinIndex {
    /// Finds all files that the patterns name, and reads those that have changed. Returns the sources whose code was
    /// added, removed or changed.
    pub(crate) fn update(
        &mut self,
        wanted: &[CubinPatterns],
        home: Option<&Path>,
        cancel: &Cancel,
    ) -> Result<BTreeSet<String>, Cancelled> {
        cancel.check()?;
        self.left_out.clear();
        let mut seen = BTreeMap::new();
        for CubinPatterns { folder, patterns } in wanted {
            for pattern in patterns {
                let home = home.map(Path::to_string_lossy);
                let Some(pattern) = pattern.within(&folder.to_string_lossy(), home.as_deref()) else {
                    continue;
                };
                self.walk(&pattern, &mut seen, cancel)?;
            }
        }
        let unreported = &mut self.unreported;
        let mut tell = |members: &[Member]| {
            unreported.extend(members.iter().flat_map(|member| member.sources.iter().cloned()));
        };
        self.files.retain(|path, (_, members)| {
            let stays = seen.contains_key(path);
            if !stays {
                tell(members);
            }
            stays
        });
        for (path, stamp) in seen {
            cancel.check()?;
            if self.files.get(&path).is_some_and(|(known, _)| *known == stamp) {
                continue;
            }
            let members = members(&path, stamp.modified, cancel);
            // A file that was not read completely is read again.
            cancel.check()?;
            tell(&members);
            if let Some((_, earlier)) = self.files.insert(path, (stamp, members)) {
                tell(&earlier);
            }
        }
        Ok(std::mem::take(&mut self.unreported))
    }

    fn walk(
        &mut self,
        pattern: &PathPattern,
        seen: &mut BTreeMap<PathBuf, Stamp>,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let mut pending = vec![PathBuf::from(&pattern.base)];
        let mut entries = 0;
        while let Some(path) = pending.pop() {
            cancel.check()?;
            entries += 1;
            if entries > MAX_ENTRIES || seen.len() >= MAX_FILES {
                self.left_out.push(format!(
                    "cubins: too many files below {}; the remaining files are ignored",
                    pattern.base
                ));
                return Ok(());
            }
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            if metadata.is_dir() {
                let Ok(list) = fs::read_dir(&path) else { continue };
                pending.extend(list.flatten().map(|entry| entry.path()));
            } else if metadata.is_file() && pattern.matches(&path.to_string_lossy()) {
                seen.insert(path, Stamp::from(&metadata));
            }
        }
        Ok(())
    }

    /// Returns the cubins compiled from a source, newest first, each with the path by which its line table names the
    /// source. Omits a cubin if newer cubins contain all of its kernels. `source` is absolute.
    pub(crate) fn code_of(&self, source: &Path) -> Vec<(Member, String)> {
        let real = fs::canonicalize(source).ok();
        let is_it = |path: &String| {
            let path = Path::new(path);
            path == source
                || path.file_name() == source.file_name()
                    && real.is_some()
                    && fs::canonicalize(path).ok() == real
        };
        let mut found: Vec<(Member, String)> = Vec::new();
        for member in self.files.values().flat_map(|(_, members)| members) {
            let Some(path) = member.sources.iter().find(|path| is_it(path)) else { continue };
            found.push((member.clone(), path.clone()));
        }
        found.sort_by_key(|(member, _)| std::cmp::Reverse(member.modified));
        // Older builds of a kernel do not run any more.
        let mut kernels: BTreeSet<String> = BTreeSet::new();
        found.retain(|(member, _)| {
            let is_new = member.kernels.iter().any(|kernel| !kernels.contains(kernel));
            kernels.extend(member.kernels.iter().cloned());
            is_new
        });
        found
    }

    /// True if no file is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// Returns the cubins of a file that have a line table. Empty if no cubin has a line table, or if the file
/// cannot be read.
fn members(path: &Path, modified: Option<SystemTime>, cancel: &Cancel) -> Vec<Member> {
    let read = || {
        let mut file = BoundedFile::regular(path, BINARY_BYTES)?;
        if binary::content(file.head()?) == Content::Other {
            return Ok(Vec::new());
        }
        file.all(&|| cancel.is_cancelled())
    };
    let bytes = read().unwrap_or_else(|_: crate::read::ReadError| Vec::new());
    let places: Vec<Option<binary::Member>> = match binary::content(&bytes) {
        Content::Cubin => vec![None],
        Content::Other => Vec::new(),
        _ => binary::members(&bytes).unwrap_or_default().into_iter().map(Some).collect(),
    };
    let member = |within: Option<binary::Member>| {
        let own = cubin_within(&bytes, within.as_ref()).filter(|_| !cancel.is_cancelled())?;
        let lines = Lines::parse(&own).ok().filter(|lines| !lines.source.is_empty())?;
        let cubin = Cubin::parse(&own).ok()?;
        let mut sources = lines.files;
        sources.truncate(MAX_SOURCES);
        Some(Member {
            file: path.to_owned(),
            within,
            modified,
            sm: cubin.sm,
            kernels: cubin.kernels().map(|kernel| kernel.name.clone()).collect(),
            sources,
        })
    };
    places.into_iter().filter_map(member).collect()
}

/// Extracts a cubin from a file; `None` if the member is not a cubin or cannot be unpacked.
fn cubin_within<'a>(file: &'a [u8], within: Option<&binary::Member>) -> Option<Cow<'a, [u8]>> {
    match within {
        None => Some(Cow::Borrowed(file)),
        Some(member) => member.cubin(file)?.ok(),
    }
}

/// Reads the bytes of a cubin from its file; `None` if that fails or is cancelled.
pub(crate) fn bytes_of(member: &Member, cancel: &Cancel) -> Option<Vec<u8>> {
    let file = BoundedFile::regular(&member.file, BINARY_BYTES).ok()?;
    let bytes = file.all(&|| cancel.is_cancelled()).ok()?;
    Some(cubin_within(&bytes, member.within.as_ref())?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBIN: &[u8] = include_bytes!("../../../../syntax/tests/cubins/sm_90.cubin");

    fn wanted(folder: &Path, pattern: &str) -> Vec<CubinPatterns> {
        let patterns = vec![CubinPattern::try_from(pattern.to_owned()).unwrap()];
        vec![CubinPatterns { folder: folder.to_owned(), patterns }]
    }

    #[test]
    fn the_newest_code_of_a_kernel_counts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("cache/a")).unwrap();
        fs::create_dir_all(root.join("cache/b")).unwrap();
        fs::write(root.join("cache/a/k.cubin"), CUBIN).unwrap();
        let first = fs::metadata(root.join("cache/a/k.cubin")).unwrap().modified().unwrap();
        // Waits until the file system's clock has advanced.
        let second = root.join("cache/b/k.cubin");
        while !fs::metadata(&second).and_then(|file| file.modified()).is_ok_and(|time| time > first) {
            fs::write(&second, CUBIN).unwrap();
        }
        fs::write(root.join("cache/b/no.txt"), "text").unwrap();
        let mut index = CubinIndex::default();
        let never = Cancel::default();
        let changed = index.update(&wanted(root, "cache/**"), None, &never).unwrap();
        let source = changed.first().expect("the cubin names its source").clone();
        let found = index.code_of(Path::new(&source));
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].0.file, &found[0].1), (&root.join("cache/b/k.cubin"), &source));
        assert_eq!(bytes_of(&found[0].0, &never).as_deref(), Some(CUBIN));
        // Unchanged code is not reported again; removed code is.
        assert!(index.update(&wanted(root, "cache/**"), None, &never).unwrap().is_empty());
        fs::remove_file(root.join("cache/b/k.cubin")).unwrap();
        assert!(index.update(&wanted(root, "cache/**"), None, &never).unwrap().contains(&source));
        assert_eq!(index.code_of(Path::new(&source))[0].0.file, root.join("cache/a/k.cubin"));
        index.update(&[], None, &never).unwrap();
        assert!(index.is_empty() && index.code_of(Path::new(&source)).is_empty());
    }
}
