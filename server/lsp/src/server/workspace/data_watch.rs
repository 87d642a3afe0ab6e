//! Watches the data files that launches name, and reads them again when they change.

use crate::server::workspace::Workspace;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Changes within this time are handled together: a large file is written in many steps.
const PAUSE: Duration = Duration::from_millis(200);

/// Maximum number of folders watched.
const MAX_FOLDERS: usize = 256; // limit: some systems allow a user only 8192 watches

/// The watched files.
#[derive(Debug, Default)]
pub(super) struct DataWatch {
    /// The named files, which may not exist.
    files: Arc<BTreeSet<PathBuf>>,
    /// For each file, the nearest folder above it that exists.
    folders: BTreeSet<PathBuf>,
    /// `None` if no file is named, or if the system cannot watch folders.
    watcher: Option<RecommendedWatcher>,
    /// True if a new read is scheduled but has not begun.
    is_due: bool,
}

/// Watches the data files that the folders' launches name now.
pub(super) fn watch_data(workspace: &Workspace) {
    let files: BTreeSet<PathBuf> =
        workspace.lock().roots.iter().flat_map(|root| root.data.paths().cloned()).collect();
    let nearest =
        |file: &PathBuf| file.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_owned);
    let mut folders: BTreeSet<PathBuf> = files.iter().filter_map(nearest).collect();
    while folders.len() > MAX_FOLDERS {
        folders.pop_last();
    }
    let is_same = {
        let watch = &workspace.lock().data_watch;
        *watch.files == files && watch.folders == folders
    };
    if is_same {
        return;
    }
    let files = Arc::new(files);
    // Watching a folder may take time, so no lock is held.
    let watcher = watcher_of(workspace, &files, &folders);
    let mut state = workspace.lock();
    let before = state.data_watch.watcher.take();
    let is_due = state.data_watch.is_due;
    state.data_watch = DataWatch { files, folders, watcher, is_due };
    drop(state);
    drop(before);
    // A file may have changed before it was watched.
    tokio::spawn(read_after_pause(workspace.clone()));
}

fn watcher_of(
    workspace: &Workspace,
    files: &Arc<BTreeSet<PathBuf>>,
    folders: &BTreeSet<PathBuf>,
) -> Option<RecommendedWatcher> {
    if folders.is_empty() {
        return None;
    }
    let (workspace, files) = (workspace.clone(), Arc::clone(files));
    let runtime = tokio::runtime::Handle::current();
    let reported = move |event: notify::Result<notify::Event>| {
        let is_change = |event: &notify::Event| {
            // Only names are compared, because the system may report the target of a link. A folder above a file that
            // does not exist yet may have been created.
            let concerns = |path: &PathBuf| {
                let name = path.file_name();
                files.iter().any(|file| file.iter().any(|part| Some(part) == name))
            };
            event.need_rescan()
                || !matches!(event.kind, notify::EventKind::Access(_)) && event.paths.iter().any(concerns)
        };
        if event.is_ok_and(|event| is_change(&event)) {
            runtime.spawn(read_after_pause(workspace.clone()));
        }
    };
    let mut watcher = notify::recommended_watcher(reported).ok()?;
    for folder in folders {
        if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
            tracing::warn!("data files: {} is not watched: {error}", folder.display());
        }
    }
    Some(watcher)
}

/// Reads the launches and their data files again after a pause.
async fn read_after_pause(workspace: Workspace) {
    if std::mem::replace(&mut workspace.lock().data_watch.is_due, true) {
        return;
    }
    tokio::time::sleep(PAUSE).await;
    workspace.lock().data_watch.is_due = false;
    tokio::task::spawn_blocking(move || workspace.read_launches());
}
