//! Watches the folders into which builds write cubins.

use crate::server::code::cubin_index::CubinPatterns;
use ide::{Cancel, PathPattern};
use notify::event::{CreateKind, ModifyKind, RemoveKind};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum number of folders watched for all patterns together. Some systems allow a user only 8192 watches.
const MAX_FOLDERS: usize = 4096; // limit: half of the 8192 watches that some systems allow a user

/// The watcher for a set of patterns.
#[derive(Debug, Default)]
pub(crate) struct PatternWatcher {
    /// `None` if the system cannot watch, or if there is nothing to watch.
    pub(crate) watcher: Option<RecommendedWatcher>,
    /// True if a folder that a pattern begins with does not exist yet.
    pub(crate) waits_for_folder: bool,
}

impl PatternWatcher {
    /// Watches the folders that the patterns begin with. Calls `changed` when a file that matches a pattern may have
    /// changed.
    ///
    /// Walks the folders, so the call can take long. Like the search for cubins, does not follow links.
    pub(crate) fn start(
        wanted: &[CubinPatterns],
        home: Option<&Path>,
        cancel: &Cancel,
        changed: impl Fn() + Send + 'static,
    ) -> Self {
        let home = home.map(Path::to_string_lossy);
        let within = |CubinPatterns { folder, patterns }: &CubinPatterns| {
            let folder = folder.to_string_lossy().into_owned();
            patterns.iter().filter_map(|own| own.within(&folder, home.as_deref())).collect::<Vec<_>>()
        };
        let patterns: Vec<PathPattern> = wanted.iter().flat_map(within).collect();
        let bases: Vec<PathBuf> = patterns.iter().map(|pattern| PathBuf::from(&pattern.base)).collect();
        if bases.is_empty() {
            return Self::default();
        }
        let reported = move |event: notify::Result<Event>| {
            if event.is_ok_and(|event| is_change(&event, &patterns)) {
                changed();
            }
        };
        let config = Config::default().with_follow_symlinks(false);
        let Ok(mut watcher) = RecommendedWatcher::new(reported, config) else { return Self::default() };
        let mut waits_for_folder = false;
        let mut left = MAX_FOLDERS;
        for base in bases {
            // For a folder that does not exist yet, the nearest existing one above it is watched.
            let Some(there) = base.ancestors().find(|folder| folder.is_dir()) else { continue };
            waits_for_folder |= there != base;
            let (folders, mode) = if there == base {
                folders_below(there, left, cancel)
            } else {
                (vec![there.to_owned()], RecursiveMode::NonRecursive)
            };
            left = left.saturating_sub(folders.len());
            let roots = if mode == RecursiveMode::Recursive { &folders[..1] } else { &folders[..] };
            for folder in roots {
                if let Err(error) = watcher.watch(folder, mode) {
                    tracing::warn!("cubins: {} is not watched: {error}", folder.display());
                    break;
                }
            }
        }
        Self { watcher: Some(watcher), waits_for_folder }
    }
}

/// Returns `base` and the folders below it, breadth first, and the watch mode: recursive, or folder by folder
/// if there are more than `most` folders. In the second case, only the first `most` folders are returned.
fn folders_below(base: &Path, most: usize, cancel: &Cancel) -> (Vec<PathBuf>, RecursiveMode) {
    let mut found = Vec::new();
    let mut open = VecDeque::from([base.to_owned()]);
    while let Some(folder) = open.pop_front() {
        if found.len() >= most || cancel.is_cancelled() {
            let below = base.display();
            tracing::warn!("cubins: too many folders below {below}; the first {} are watched", found.len());
            return (found, RecursiveMode::NonRecursive);
        }
        let list = fs::read_dir(&folder).into_iter().flatten().flatten();
        let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        open.extend(list.filter(is_folder).map(|entry| entry.path()).take(most));
        found.push(folder);
    }
    (found, RecursiveMode::Recursive)
}

/// True if a file that a pattern names may have been added, removed or changed.
fn is_change(event: &Event, patterns: &[PathPattern]) -> bool {
    let is_of_folder = match event.kind {
        EventKind::Access(_) => return false,
        EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder) => true,
        EventKind::Modify(ModifyKind::Name(_)) => event.paths.iter().any(|path| !path.is_file()),
        _ => event.need_rescan(),
    };
    let concerns = |path: &PathBuf, pattern: &PathPattern| {
        pattern.matches(&path.to_string_lossy())
            // A folder above the pattern's base folder, which may not exist yet.
            || Path::new(&pattern.base).starts_with(path)
            || is_of_folder && path.starts_with(&pattern.base)
    };
    event.need_rescan()
        || event.paths.iter().any(|path| patterns.iter().any(|pattern| concerns(path, pattern)))
}

/// The `cubins` patterns of all folders, and the state of the watcher and of the search for matching files.
#[derive(Debug, Default)]
pub(crate) struct BuildOutputs {
    pub(crate) wanted: Vec<CubinPatterns>,
    pub(crate) watcher: Option<RecommendedWatcher>,
    /// True if a folder of the patterns did not exist when watching began.
    pub(crate) waits_for_folder: bool,
    /// True if an update is scheduled and has not begun.
    pub(crate) is_due: bool,
    /// Cancels the search that is under way for earlier patterns.
    pub(crate) search: Cancel,
    /// Duration of the last search.
    pub(crate) last_search: Duration,
    /// State of the registration for documents in languages that the server does not compile. The server registers for
    /// these documents once a folder has a `cubins` pattern.
    pub(crate) asking: RequestState,
    /// State of the registration for Python documents. The server registers for them once a `[tune]` table names a
    /// Triton kernel.
    pub(crate) asking_triton: RequestState,
}

/// State of a registration that the server sends to the client once, after `initialized`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RequestState {
    #[default]
    TooEarly,
    May,
    Done,
}

impl BuildOutputs {
    /// True if there are `cubins` patterns, and the registration for their sources may be sent but has not been sent.
    pub(crate) fn are_wanted(&self) -> bool {
        self.asking == RequestState::May && !self.wanted.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ide::CubinPattern;
    use notify::event::DataChange;

    fn patterns(folder: &str, of: &[&str]) -> Vec<PathPattern> {
        let pattern = |text: &&str| CubinPattern::try_from((*text).to_owned()).unwrap();
        of.iter().filter_map(|text| pattern(text).within(folder, None)).collect()
    }

    fn event(kind: EventKind, path: &str) -> Event {
        Event::new(kind).add_path(path.into())
    }

    #[test]
    fn files_that_no_pattern_names_change_nothing() {
        let own = patterns("/w", &["build/**/*.cubin"]);
        let written = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        assert!(!is_change(&event(written, "/w/build/log.txt"), &own));
        assert!(is_change(&event(written, "/w/build/a/k.cubin"), &own));
        let folder = EventKind::Create(CreateKind::Folder);
        assert!(is_change(&event(folder, "/w/build/a"), &own));
        assert!(is_change(&event(folder, "/w/build"), &own), "it is waited for");
        assert!(!is_change(&event(folder, "/w/other"), &own));
    }

    #[test]
    fn folders_are_watched_up_to_a_number_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        for at in 0..20 {
            fs::create_dir_all(folder.path().join(format!("{at}/below"))).unwrap();
        }
        let never = Cancel::default();
        let (found, mode) = folders_below(folder.path(), 100, &never);
        assert_eq!((found.len(), mode), (41, RecursiveMode::Recursive));
        let (found, mode) = folders_below(folder.path(), 10, &never);
        assert_eq!((found.len(), mode), (10, RecursiveMode::NonRecursive));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/", folder.path().join("root")).unwrap();
            assert_eq!(folders_below(folder.path(), 100, &never).0.len(), 41);
        }
        let ended = Cancel::default();
        ended.cancel();
        assert!(folders_below(folder.path(), 100, &ended).0.is_empty());
    }
}
