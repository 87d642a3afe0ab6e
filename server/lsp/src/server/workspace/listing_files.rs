//! Finds and reads the files that `listings` in `warplens.toml` names.

use crate::read::{BoundedFile, LISTING_BYTES, ReadError, Stamp};
use ide::{Cancel, Cancelled, ListingPattern};
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Limits of a search. Files beyond these limits are skipped and reported in the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) files: usize,
    /// Maximum size of one file, in bytes.
    pub(crate) file_bytes: u64,
    pub(crate) all_bytes: u64,
    /// Maximum number of files and folders visited for the patterns.
    pub(crate) entries: usize,
}

pub(crate) const LIMITS: Limits =
    Limits { files: 2000, file_bytes: LISTING_BYTES, all_bytes: 1 << 30, entries: 200_000 };

/// A file that a pattern names.
#[derive(Debug, Clone)]
pub(crate) struct FoundFile {
    pub(crate) stamp: Stamp,
    /// The workspace folder of the file; links must not lead out of this folder.
    pub(crate) folder: Arc<Path>,
}

/// A workspace folder and the patterns of `listings` in its `warplens.toml`.
#[derive(Debug, Clone)]
pub(crate) struct ListingPatterns {
    pub(crate) folder: PathBuf,
    pub(crate) patterns: Vec<ListingPattern>,
}

#[derive(Debug, Default)]
pub(crate) struct FoundListings {
    pub(crate) files: BTreeMap<PathBuf, FoundFile>,
    /// Log lines about skipped files, one per reason.
    pub(crate) left_out: Vec<String>,
    bytes: u64,
    entries: usize,
}

/// A workspace folder's path as the client names it and as resolved through links.
struct Roots {
    named: Arc<Path>,
    real: PathBuf,
}

/// Folders that are skipped because they have many files but none of the user's listings. A pattern that names such a
/// folder enters it.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// Returns the files that the patterns name, each once, in no particular order. Does not follow links to folders.
pub(crate) fn find(
    wanted: &[ListingPatterns],
    limits: Limits,
    cancel: &Cancel,
) -> Result<FoundListings, Cancelled> {
    let mut found = FoundListings::default();
    for ListingPatterns { folder, patterns } in wanted {
        let Ok(real) = fs::canonicalize(folder) else { continue };
        let folder = Roots { named: Arc::from(folder.as_path()), real };
        for pattern in patterns {
            found.look(&folder, pattern, limits, cancel)?;
        }
    }
    Ok(found)
}

impl FoundListings {
    fn look(
        &mut self,
        folder: &Roots,
        pattern: &ListingPattern,
        limits: Limits,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        // Paths to visit, each with the remaining components of the pattern.
        let base = pattern.base();
        let parts = if base.is_empty() { Vec::new() } else { base.split('/').map(str::to_owned).collect() };
        let start = folder.named.join(base);
        // Folders on the path may be links. A folder outside the workspace folder is not listed.
        match fs::canonicalize(&start) {
            Ok(real) if !real.starts_with(&folder.real) => {
                self.leave_out(format!("listings: {} is left out: {}", start.display(), ReadError::LeadsOut));
                return Ok(());
            }
            Ok(_) => {}
            Err(_) => return Ok(()),
        }
        let mut pending = vec![(start, parts)];
        while let Some((path, parts)) = pending.pop() {
            cancel.check()?;
            self.entries += 1;
            if self.entries > limits.entries {
                self.leave_out(format!(
                    "listings: more than {} files and folders to search; the remaining ones are ignored",
                    limits.entries
                ));
                return Ok(());
            }
            let Ok(metadata) = fs::metadata(&path) else { continue };
            if metadata.is_file() {
                if pattern.matches(&parts.join("/")) {
                    self.take(folder, path, &metadata, limits);
                }
            } else if metadata.is_dir() && pattern.max_parts().is_none_or(|most| parts.len() < most) {
                pending.extend(below(&path, &parts));
            }
        }
        Ok(())
    }

    fn take(&mut self, folder: &Roots, path: PathBuf, metadata: &Metadata, limits: Limits) {
        if self.files.contains_key(&path) {
            return;
        }
        if !fs::canonicalize(&path).is_ok_and(|real| real.starts_with(&folder.real)) {
            let line = format!("listings: {} is left out: {}", path.display(), ReadError::LeadsOut);
            self.leave_out(line);
            return;
        }
        let stamp = Stamp::from(metadata);
        if stamp.bytes > limits.file_bytes {
            let most = limits.file_bytes >> 20;
            self.leave_out(format!("listings: {} is larger than {most} MiB and left out", path.display()));
        } else if self.files.len() >= limits.files {
            self.leave_out(format!(
                "listings: more than {} files; the remaining files are ignored",
                limits.files
            ));
        } else if self.bytes + stamp.bytes > limits.all_bytes {
            let most = limits.all_bytes >> 20;
            self.leave_out(format!(
                "listings: more than {most} MiB in total; the remaining files are ignored"
            ));
        } else {
            self.bytes += stamp.bytes;
            self.files.insert(path, FoundFile { stamp, folder: Arc::clone(&folder.named) });
        }
    }

    fn leave_out(&mut self, line: String) {
        if !self.left_out.contains(&line) {
            self.left_out.push(line);
        }
    }
}

/// Returns the entries of a folder, each with the components of its path, sorted so that the first name comes last.
/// Empty if the folder cannot be read.
fn below(folder: &Path, parts: &[String]) -> Vec<(PathBuf, Vec<String>)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut list = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let leads_away = entry.file_type().is_ok_and(|kind| kind.is_symlink()) && entry.path().is_dir();
        if !leads_away && !SKIPPED.contains(&name.as_str()) {
            let parts = parts.iter().cloned().chain([name]).collect();
            list.push((entry.path(), parts));
        }
    }
    list.sort_unstable_by(|a, b| b.cmp(a));
    list
}

/// Reads the text of a file in a workspace folder, without its byte order mark and with invalid UTF-8
/// replaced. `None` for a binary file.
pub(crate) fn read(
    folder: &Path,
    path: &Path,
    limits: Limits,
    cancel: &Cancel,
) -> Result<Option<String>, ReadError> {
    let mut file = BoundedFile::within(folder, path, limits.file_bytes)?;
    if file.head()?.contains(&0) {
        return Ok(None);
    }
    let bytes = file.all(&|| cancel.is_cancelled())?;
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn with(files: &[&str]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for file in files {
                let file = folder.path().join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "NOP ;\n").unwrap();
            }
            Self(folder)
        }

        fn found(&self, patterns: &[&str], limits: Limits) -> (Vec<String>, Vec<String>) {
            let patterns = patterns.iter().map(|&text| ListingPattern::try_from(text.to_owned()).unwrap());
            let wanted = [ListingPatterns { folder: self.0.path().to_owned(), patterns: patterns.collect() }];
            let found = find(&wanted, limits, &Cancel::default()).unwrap();
            let names = found
                .files
                .keys()
                .map(|path| path.strip_prefix(self.0.path()).unwrap().to_string_lossy().replace('\\', "/"));
            (names.collect(), found.left_out)
        }
    }

    #[test]
    fn each_file_of_any_pattern_once() {
        let files = ["b/x/a.sass", "b/a.sass", "c.sass", "d.txt", "b/.git/e.sass", "node_modules/f.sass"];
        let folder = Folder::with(&files);
        let found = |patterns: &[&str]| folder.found(patterns, LIMITS).0;
        assert_eq!(found(&["**/*.sass", "c.sass", "none.sass"]), ["b/a.sass", "b/x/a.sass", "c.sass"]);
        assert_eq!(found(&["b/*.sass"]), ["b/a.sass"]);
        assert_eq!(found(&["node_modules/*.sass"]), ["node_modules/f.sass"]);
        assert!(folder.found(&["**/*.sass"], LIMITS).1.is_empty());
    }

    #[test]
    fn what_a_limit_leaves_out_is_said_in_one_line() {
        let folder = Folder::with(&["a.sass", "b.sass", "c.sass"]);
        for limits in [
            Limits { files: 2, ..LIMITS },
            Limits { all_bytes: 13, ..LIMITS },
            Limits { entries: 3, ..LIMITS },
        ] {
            let (names, left_out) = folder.found(&["*.sass"], limits);
            assert_eq!((names, left_out.len()), (vec!["a.sass".to_owned(), "b.sass".to_owned()], 1));
        }
        let (names, left_out) = folder.found(&["a.sass"], Limits { file_bytes: 1, ..LIMITS });
        assert!(names.is_empty() && left_out[0].contains("a.sass"), "{left_out:?}");
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_are_left_out_and_said() {
        use std::os::unix::fs::symlink;
        let folder = Folder::with(&["root/a.sass", "root/b/c.sass", "away/d.sass"]);
        let root = folder.0.path().join("root");
        symlink("b/c.sass", root.join("near.sass")).unwrap();
        symlink("../away/d.sass", root.join("far.sass")).unwrap();
        symlink("../away", root.join("folder")).unwrap();
        symlink("root", folder.0.path().join("link")).unwrap();
        for (name, patterns) in [("root", "*.sass"), ("link", "*.sass"), ("root", "folder/*.sass")] {
            let patterns = vec![ListingPattern::try_from(patterns.to_owned()).unwrap()];
            let is_folder = patterns[0].text().starts_with("folder");
            let wanted = [ListingPatterns { folder: folder.0.path().join(name), patterns }];
            let found = find(&wanted, LIMITS, &Cancel::default()).unwrap();
            let names: Vec<_> = found.files.keys().filter_map(|path| path.file_name()).collect();
            let expected: &[&str] = if is_folder { &[] } else { &["a.sass", "near.sass"] };
            assert_eq!(names, expected, "{name}");
            let out = if is_folder { "folder" } else { "far.sass" };
            assert!(found.left_out.len() == 1 && found.left_out[0].contains(out), "{:?}", found.left_out);
            // The link is created between the search and the read.
            let refused =
                read(&wanted[0].folder, &folder.0.path().join("away/d.sass"), LIMITS, &Cancel::default());
            assert!(matches!(refused, Err(ReadError::LeadsOut)));
        }
    }

    #[test]
    fn binaries_are_no_listings() {
        let folder = Folder::with(&["a.sass"]);
        let path = folder.0.path().join("a.sass");
        let read_bytes = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            read(folder.0.path(), &path, LIMITS, &Cancel::default()).unwrap()
        };
        assert_eq!(read_bytes(b"\x7fELF\x02\x01\0"), None);
        assert_eq!(read_bytes(b"\xef\xbb\xbfNOP ;").as_deref(), Some("NOP ;"));
        assert_eq!(read_bytes(b"// caf\xe9").as_deref(), Some("// caf\u{fffd}"));
    }

    #[test]
    fn a_search_stops_without_a_waiting_caller() {
        let folder = Folder::with(&["a.sass"]);
        let patterns = vec![ListingPattern::try_from("*.sass".to_owned()).unwrap()];
        let cancel = Cancel::default();
        cancel.cancel();
        let wanted = [ListingPatterns { folder: folder.0.path().to_owned(), patterns }];
        assert!(find(&wanted, LIMITS, &cancel).is_err());
    }
}
