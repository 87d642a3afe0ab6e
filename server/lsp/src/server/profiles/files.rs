//! Profile files: the files to attach, and the profiles read from them.

use crate::read::{BINARY_BYTES, BoundedFile, ReadError, Stamp, name_of, never};
use ide::AttachedProfile;
use ide::profiles::{self, Profile, read};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The folder, in a workspace folder, that is searched for profiles.
const FOLDER: &str = ".warplens";

/// File extension of the reports searched for.
const REPORT: &str = "ncu-rep";

/// Maximum number of profiles attached at a time.
const MAX_FILES: usize = 16; // limit: memory of attached profiles

/// Prefix of the file names of reports that the server's own profiler runs write. A number follows the prefix.
const MADE: &str = "followed-";

/// The profile files to attach and the attached files.
#[derive(Debug, Default)]
pub(crate) struct ProfileFiles {
    /// Files named by a command. If not empty, no other files are attached.
    pub(crate) asked: Vec<PathBuf>,
    /// True once a command has detached all files: nothing is attached until a command names files or a run leaves a
    /// report.
    pub(crate) is_detached: bool,
    pub(crate) watcher: Option<notify::RecommendedWatcher>,
    /// The folders that `watcher` watches.
    pub(crate) watched: Vec<PathBuf>,
    /// True if a new read of the files is scheduled but has not begun.
    pub(crate) is_due: bool,
    /// Number of the last read that has begun. `stored` is the number of the last read whose result was
    /// stored.
    begun: u64,
    stored: u64,
    /// Files with their stamps and the profiles last read from them.
    known: BTreeMap<PathBuf, KnownFile>,
}

/// A report that a profiler run of the server has written, and the profile parsed from it.
#[derive(Debug, Clone)]
pub(crate) struct WrittenReport {
    pub(crate) path: PathBuf,
    stamp: Option<Stamp>,
    profile: Arc<Profile>,
}

#[derive(Debug, Clone)]
struct KnownFile {
    stamp: Option<Stamp>,
    /// The profile last read; `None` if the file could never be read.
    profile: Option<Arc<Profile>>,
}

/// Result of reading the files again.
#[derive(Debug, Default)]
pub(crate) struct Update {
    pub(crate) attached: Vec<AttachedProfile>,
    /// One line for each file that could not be read completely since the last update.
    pub(crate) problems: Vec<String>,
    known: BTreeMap<PathBuf, KnownFile>,
    /// Number of this read.
    number: u64,
}

/// The sources of profiles: files that are named, and folders that are searched.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProfileSources {
    pub(crate) asked: Vec<PathBuf>,
    /// Folders of the workspace, each with the files that its `warplens.toml` names.
    pub(crate) folders: Vec<(PathBuf, Vec<String>)>,
    /// Paths of the open documents; a report of the same name next to a document is found.
    pub(crate) documents: Vec<PathBuf>,
}

impl ProfileSources {
    /// Returns the files to attach. If a command has named files, returns only these. Otherwise returns the files that
    /// `warplens.toml` names, then the reports found next to documents and in the reports folders. A named file may not
    /// exist.
    ///
    /// Includes only the last of the reports that runs of the server have written to a folder. It precedes all files
    /// with an older modification time, so the launch measured last is shown first.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = Vec::new();
        let mut add = |file: PathBuf| {
            if !files.contains(&file) {
                files.push(file);
            }
        };
        if !self.asked.is_empty() {
            self.asked.iter().cloned().for_each(add);
            files.truncate(MAX_FILES);
            return files;
        }
        for (folder, stated) in &self.folders {
            for name in stated {
                add(folder.join(name));
            }
        }
        for document in &self.documents {
            let adjacent = document.with_extension(REPORT);
            if adjacent.is_file() {
                add(adjacent);
            }
        }
        for (folder, _) in &self.folders {
            let Ok(entries) = fs::read_dir(folder.join(FOLDER)) else { continue };
            let mut found: Vec<PathBuf> = entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|ending| ending == REPORT))
                .filter(|path| number(path).is_none())
                .collect();
            found.sort();
            found.into_iter().for_each(&mut add);
        }
        let modified = |file: &Path| fs::metadata(file).and_then(|own| own.modified()).ok();
        for made in self.folders.iter().filter_map(|(folder, _)| last_made(folder)) {
            let of_run = modified(&made);
            let (newer, older): (Vec<_>, Vec<_>) =
                files.into_iter().filter(|file| *file != made).partition(|file| modified(file) > of_run);
            files = newer.into_iter().chain([made]).chain(older).collect();
        }
        files.truncate(MAX_FILES);
        files
    }

    /// The existing folders in which profile files may appear or vanish.
    pub(crate) fn watched(&self) -> Vec<PathBuf> {
        let parent = |file: &PathBuf| file.parent().map(Path::to_owned);
        let mut folders: Vec<PathBuf> = self.files().iter().filter_map(parent).collect();
        folders.extend(self.folders.iter().map(|(folder, _)| folder.join(FOLDER)));
        folders.extend(self.documents.iter().filter_map(parent));
        folders.retain(|folder| folder.is_dir());
        folders.sort();
        folders.dedup();
        folders
    }
}

/// The number in the file name of a report that a run has written; `None` for any other file.
fn number(file: &Path) -> Option<u64> {
    let name = file.file_name()?.to_str()?.strip_prefix(MADE)?.strip_suffix(REPORT)?.strip_suffix('.')?;
    name.parse().ok()
}

/// The report with the highest number that a run has written to a workspace folder; `None` if there is none.
fn last_made(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder.join(FOLDER)).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    files.filter(|file| number(file).is_some()).max_by_key(|file| number(file))
}

/// The reports folder in a workspace folder.
pub(crate) fn reports(folder: &Path) -> PathBuf {
    folder.join(FOLDER)
}

/// The number of the next report that a run writes into a workspace folder.
fn next_number(folder: &Path) -> u64 {
    last_made(folder).and_then(|file| number(&file)).unwrap_or_default().saturating_add(1)
}

/// The path for the next report of a run in a workspace folder; no file exists there yet.
pub(crate) fn next_report(folder: &Path) -> PathBuf {
    report_at(folder, next_number(folder))
}

fn report_at(folder: &Path, number: u64) -> PathBuf {
    reports(folder).join(format!("{MADE}{number}.{REPORT}"))
}

/// Writes a run's report into a workspace folder, atomically and without replacing a file. `profile` is the parsed
/// report.
pub(crate) fn write_report(folder: &Path, report: &[u8], profile: Profile) -> io::Result<WrittenReport> {
    let reports = within(folder, &reports(folder))?;
    let mut file = tempfile::Builder::new().prefix(".followed-").tempfile_in(&reports)?;
    file.write_all(report)?;
    let mut number = next_number(folder);
    loop {
        let path = report_at(folder, number);
        let Err(error) = file.persist_noclobber(&path) else {
            let stamp = stamp(&path);
            return Ok(WrittenReport { path, stamp, profile: Arc::new(profile) });
        };
        // Another server has already used the number.
        let next = number.checked_add(1).filter(|_| error.error.kind() == io::ErrorKind::AlreadyExists);
        let Some(next) = next else { return Err(error.error) };
        (file, number) = (error.file, next);
    }
}

/// Creates `folder` if it does not exist, and returns its real path. `Err` if a link leads out of
/// `workspace`: no file may be written there.
fn within(workspace: &Path, folder: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let real = fs::canonicalize(folder)?;
    if !real.starts_with(fs::canonicalize(workspace)?) {
        return Err(io::Error::other("it is a link that leads out of the workspace folder"));
    }
    Ok(real)
}

impl ProfileFiles {
    /// Adds a run's report to the known files. If a command has named or detached files, also puts the report before
    /// the named files, and removes reports of earlier runs from them. Otherwise the next search finds the report.
    pub(crate) fn add_made(&mut self, made: WrittenReport) {
        self.asked.retain(|file| number(file).is_none());
        if self.is_detached || !self.asked.is_empty() {
            self.asked.insert(0, made.path.clone());
        }
        self.is_detached = false;
        self.known.insert(made.path, KnownFile { stamp: made.stamp, profile: Some(made.profile) });
    }

    /// The current state of the files, to pass to [`look`].
    pub(crate) fn seen(&mut self) -> FileSnapshot {
        self.begun += 1;
        FileSnapshot { known: self.known.clone(), number: self.begun }
    }

    /// The paths of the attached files.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let attached = self.known.iter().filter(|(_, known)| known.profile.is_some());
        attached.map(|(path, _)| path.clone()).collect()
    }

    /// The profile of an attached file; `None` for any other file.
    pub(crate) fn profile(&self, path: &Path) -> Option<Arc<Profile>> {
        self.known.get(path)?.profile.clone()
    }

    /// Stores the result of [`look`]; returns false if a later read has already stored its result.
    pub(crate) fn take(&mut self, update: &Update) -> bool {
        let is_latest = update.number > self.stored;
        if is_latest {
            self.stored = update.number;
            self.known.clone_from(&update.known);
        }
        is_latest
    }
}

/// The state of the files when [`look`] begins.
pub(crate) struct FileSnapshot {
    known: BTreeMap<PathBuf, KnownFile>,
    number: u64,
}

/// Reads those of `files` that have changed since the snapshot. A file that can no longer be read keeps the profile
/// read earlier.
pub(crate) fn look(files: &[PathBuf], FileSnapshot { known: mut before, number }: FileSnapshot) -> Update {
    let mut update = Update { number, ..Update::default() };
    for path in files {
        let stamp = stamp(path);
        let earlier = before.remove(path);
        let known = match earlier {
            Some(earlier) if earlier.stamp == stamp => earlier,
            earlier => {
                let earlier = earlier.and_then(|earlier| earlier.profile);
                let profile = match read_file(path) {
                    Ok(profile) => {
                        let cut = profile.cut.as_ref().map(|cut| format!("only a part was read: {cut}"));
                        update.problems.extend(cut.map(|why| format!("{}: {why}", path.display())));
                        Some(Arc::new(profile))
                    }
                    Err(why) => {
                        let kept = if earlier.is_some() { "; the earlier profile stays" } else { "" };
                        update.problems.push(format!("{}: {why}{kept}", path.display()));
                        earlier
                    }
                };
                KnownFile { stamp, profile }
            }
        };
        if let Some(profile) = &known.profile {
            update.attached.push(AttachedProfile { name: name_of(path), profile: Arc::clone(profile) });
        }
        update.known.insert(path.clone(), known);
    }
    update
}

/// The current stamp of a file; `None` if the file does not exist.
fn stamp(path: &Path) -> Option<Stamp> {
    Some(Stamp::from(&fs::metadata(path).ok()?))
}

/// Reason why no profile was read from a file, in one line.
#[derive(Debug, Error)]
#[error(transparent)]
pub(crate) enum NoProfile {
    Refused(#[from] ReadError),
    Unreadable(#[from] profiles::Error),
}

pub(crate) fn read_file(path: &Path) -> Result<Profile, NoProfile> {
    Ok(read(&BoundedFile::regular(path, BINARY_BYTES)?.all(&never)?)?)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests read their own files")]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn names(files: &[PathBuf]) -> Vec<String> {
        files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    fn write(path: &Path, seconds: u64) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "report").unwrap();
        let stamp = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        fs::File::options().append(true).open(path).unwrap().set_modified(stamp).unwrap();
    }

    #[test]
    fn the_last_report_of_a_run_goes_before_all_that_is_older() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(&at("stated.csv"), 10);
        write(&at("newer.csv"), 30);
        write(&at(".warplens/own.ncu-rep"), 5);
        write(&at(".warplens/followed-2.ncu-rep"), 15);
        write(&at(".warplens/followed-10.ncu-rep"), 20);
        let stated = ["stated.csv", "newer.csv"].map(str::to_owned).to_vec();
        let places =
            ProfileSources { folders: vec![(folder.path().to_owned(), stated)], ..ProfileSources::default() };
        let expected = ["newer.csv", "followed-10.ncu-rep", "stated.csv", "own.ncu-rep"];
        assert_eq!(names(&places.files()), expected);
        let asked = ProfileSources { asked: vec![at("stated.csv")], ..places };
        assert_eq!(names(&asked.files()), ["stated.csv"], "a command names all there is");
    }

    #[test]
    fn a_report_is_written_over_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let keep =
            |report: &[u8]| Ok::<_, io::Error>(write_report(folder.path(), report, Profile::default())?.path);
        let first = keep(b"one").unwrap();
        write(&reports(folder.path()).join("followed-7.ncu-rep"), 5);
        write(&reports(folder.path()).join("followed-old.ncu-rep"), 5);
        let second = keep(b"two").unwrap();
        assert_eq!(names(&[first.clone(), second.clone()]), ["followed-1.ncu-rep", "followed-8.ncu-rep"]);
        assert_eq!((fs::read(first).unwrap(), fs::read(second).unwrap()), (b"one".to_vec(), b"two".to_vec()));
        assert_eq!(fs::read_dir(reports(folder.path())).unwrap().count(), 4, "nothing is left beside them");
        fs::remove_dir_all(reports(folder.path())).unwrap();
        fs::write(reports(folder.path()), "no folder").unwrap();
        assert!(keep(b"three").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_report_is_written_through_no_link() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let keep = |report: &[u8]| write_report(folder.path(), report, Profile::default());
        for target in [elsewhere.path().to_owned(), elsewhere.path().join("none")] {
            std::os::unix::fs::symlink(target, reports(folder.path())).unwrap();
            assert!(keep(b"four").is_err());
            fs::remove_file(reports(folder.path())).unwrap();
        }
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "nothing is written through a link");
    }

    #[test]
    fn a_slow_look_does_not_undo_a_later_one() {
        let folder = tempfile::tempdir().unwrap();
        let (earlier, later) = (folder.path().join("earlier.csv"), folder.path().join("later.csv"));
        let mut files = ProfileFiles::default();
        let (slow, quick) = (files.seen(), files.seen());
        assert!(files.take(&look(std::slice::from_ref(&later), quick)));
        assert!(!files.take(&look(&[earlier], slow)));
        assert_eq!(files.known.keys().collect::<Vec<_>>(), [&later]);
    }

    #[test]
    fn a_report_joins_the_files_that_a_command_has_named() {
        let mut files = ProfileFiles::default();
        let made = |name: &str| WrittenReport {
            path: Path::new("/w/.warplens").join(name),
            stamp: None,
            profile: Arc::default(),
        };
        files.add_made(made("followed-1.ncu-rep"));
        assert_eq!(files.asked, <[PathBuf; 0]>::default(), "it is found");
        files.asked = vec!["/w/run.csv".into()];
        files.add_made(made("followed-2.ncu-rep"));
        files.add_made(made("followed-3.ncu-rep"));
        assert_eq!(names(&files.asked), ["followed-3.ncu-rep", "run.csv"]);
    }
}
