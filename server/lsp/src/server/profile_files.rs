//! The files of profiles: which ones are wanted, and what was read of them.

use crate::read::{BINARY_BYTES, Bounded};
use ide::AttachedProfile;
use ide::profiles::{Profile, read};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The folder of a workspace in which profiles are found.
const FOLDER: &str = ".warplens";

/// The ending of reports that are found.
const REPORT: &str = "ncu-rep";

/// The most profiles that are attached at a time.
const MOST_FILES: usize = 16;

/// The files that are to be attached, and those that are.
#[derive(Debug, Default)]
pub(super) struct ProfileFiles {
    /// Named by a command; where there are some, they are all.
    pub(super) asked: Vec<PathBuf>,
    /// A command took all off; nothing is attached until one names files again.
    pub(super) is_detached: bool,
    pub(super) watcher: Option<notify::RecommendedWatcher>,
    /// The folders that it watches.
    pub(super) watched: Vec<PathBuf>,
    /// A look at the files is asked for and has not begun.
    pub(super) is_due: bool,
    /// Files with their stamps, and what was read of them at last.
    known: BTreeMap<PathBuf, Known>,
}

#[derive(Debug, Clone)]
struct Known {
    stamp: Option<(SystemTime, u64)>,
    /// `None` where nothing of it could ever be read.
    profile: Option<Arc<Profile>>,
}

/// Contents of the files after a look at them.
#[derive(Debug, Default)]
pub(super) struct Update {
    pub(super) attached: Vec<AttachedProfile>,
    /// One line for each file that could not be read, or not to its end, since the last look.
    pub(super) problems: Vec<String>,
    known: BTreeMap<PathBuf, Known>,
}

/// The places at which profiles are stated and found.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    pub(super) asked: Vec<PathBuf>,
    /// Folders of the workspace, each with the files that its `warplens.toml` names.
    pub(super) folders: Vec<(PathBuf, Vec<String>)>,
    /// Open documents.
    pub(super) documents: Vec<PathBuf>,
}

impl Places {
    /// The files, those that are stated first; a stated one may not be there.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = Vec::new();
        let mut add = |file: PathBuf| {
            if files.len() < MOST_FILES && !files.contains(&file) {
                files.push(file);
            }
        };
        if !self.asked.is_empty() {
            self.asked.iter().cloned().for_each(add);
            return files;
        }
        for (folder, stated) in &self.folders {
            for name in stated {
                add(folder.join(name));
            }
        }
        for document in &self.documents {
            let beside = document.with_extension(REPORT);
            if beside.is_file() {
                add(beside);
            }
        }
        for (folder, _) in &self.folders {
            let Ok(entries) = fs::read_dir(folder.join(FOLDER)) else { continue };
            let mut found: Vec<PathBuf> = entries
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|ending| ending == REPORT))
                .collect();
            found.sort();
            found.into_iter().for_each(&mut add);
        }
        files
    }

    /// The folders in which such files come and go.
    pub(super) fn watched(&self) -> Vec<PathBuf> {
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

impl ProfileFiles {
    /// The files as they are known now, for [`look`].
    pub(super) fn seen(&self) -> Seen {
        Seen(self.known.clone())
    }

    /// The paths of the attached files.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let attached = self.known.iter().filter(|(_, known)| known.profile.is_some());
        attached.map(|(path, _)| path.clone()).collect()
    }

    /// What was read of a file that is attached; `None` for another one.
    pub(super) fn profile(&self, path: &Path) -> Option<Arc<Profile>> {
        self.known.get(path)?.profile.clone()
    }

    /// Takes over what a look at the files found.
    pub(super) fn take(&mut self, update: &Update) {
        self.known.clone_from(&update.known);
    }
}

/// Files as they were at the last look.
pub(super) struct Seen(BTreeMap<PathBuf, Known>);

/// Reads the files that have changed since. One that can't be read any more keeps what was read of it before.
pub(super) fn look(files: &[PathBuf], Seen(mut before): Seen) -> Update {
    let mut update = Update::default();
    for path in files {
        let stamp = fs::metadata(path).ok().and_then(|own| Some((own.modified().ok()?, own.len())));
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
                Known { stamp, profile }
            }
        };
        if let Some(profile) = &known.profile {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            update.attached.push(AttachedProfile { name, profile: Arc::clone(profile) });
        }
        update.known.insert(path.clone(), known);
    }
    update
}

/// Reads a profile; the error is one line.
pub(super) fn read_file(path: &Path) -> Result<Profile, String> {
    let file = Bounded::regular(path, BINARY_BYTES).map_err(|why| why.to_string())?;
    let bytes = file.all(&crate::read::never).map_err(|why| why.to_string())?;
    read(&bytes).map_err(|why| why.to_string())
}
