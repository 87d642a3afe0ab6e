//! The workspace: its folders, the `warplens.toml` of each, the settings, and the listings that those files
//! name.
//!
//! `Workspace` owns the folders under one lock; [`settings`] and [`listings`] have their own locks. The
//! layers above take these locks before the lock of `documents`. While they are held, only `documents` and
//! `transport` are locked.

mod data_watch;
pub(crate) mod headers;
pub(crate) mod launch_files;
pub(crate) mod launch_reading;
pub(crate) mod launch_text;
pub(crate) mod listing_files;
pub(crate) mod listing_index;
pub(crate) mod listings;
pub(crate) mod root;
pub(crate) mod settings;

use crate::build::HeaderStore;
use crate::server::documents::Documents;
use crate::server::transport::locked::locked;
use crate::server::transport::uris::file_path;
use data_watch::DataWatch;
use launch_reading::ReaderState;
use root::{FILE, Root};
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use tower_lsp_server::ls_types::Uri;

/// A handle to the workspace's folders; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    pub(crate) documents: Documents,
    folders: Arc<Mutex<Folders>>,
    observer: Arc<OnceLock<Observer>>,
    headers: HeaderStore,
}

/// The workspace's folders, each with the contents of its `warplens.toml` that are in use.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    pub(crate) roots: Vec<Root>,
    /// Folders outside the workspace with an open `warplens.toml`, which has no effect.
    strays: Vec<Root>,
    /// The document that each listing was compiled from, by the URI under which the client shows the listing. A listing
    /// belongs to the folder of its document.
    pub(crate) sources: HashMap<Uri, Uri>,
    reading: ReaderState,
    data_watch: DataWatch,
}

/// A change of the workspace to which other stores react.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WorkspaceChange {
    /// Folders were added or removed.
    Folders,
    /// The `warplens.toml` of a folder was read.
    LaunchFile { names_other_listings: bool },
}

/// The callback for changes.
struct Observer(Box<dyn Fn(WorkspaceChange) + Send + Sync>);

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl Workspace {
    pub(crate) fn new(documents: Documents) -> Self {
        Self { documents, folders: Arc::default(), observer: Arc::default(), headers: HeaderStore::default() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Folders> {
        locked(&self.folders)
    }

    /// Sets the callback for added or removed folders and for files that were read. Can be set once.
    pub(crate) fn observe(&self, changed: impl Fn(WorkspaceChange) + Send + Sync + 'static) {
        drop(self.observer.set(Observer(Box::new(changed))));
    }

    /// Calls the observer. The caller must hold no lock.
    fn notify_observer(&self, change: WorkspaceChange) {
        if let Some(Observer(changed)) = self.observer.get() {
            changed(change);
        }
    }

    /// Removes the folders `left`, adds the folders `entered`, and reads the files of the new folders.
    pub(crate) fn change_folders(&self, left: &[PathBuf], entered: Vec<PathBuf>) {
        let mut state = self.lock();
        let mut documents = self.documents.lock();
        for path in left {
            documents.host.forget_folder(&path.to_string_lossy());
        }
        for root in state.roots.iter().filter(|root| left.contains(&root.path) && !root.shown.is_empty()) {
            root.uri().into_iter().for_each(|uri| self.documents.connection.clear_findings(uri));
        }
        for root in std::mem::take(&mut state.roots) {
            if !left.contains(&root.path) {
                state.roots.push(root);
            } else if let Some(open) = root.open {
                state.strays.push(Root { open: Some(open), ..Root::at(root.path) });
            }
        }
        for path in entered {
            if state.roots.iter().all(|root| root.path != path) {
                let stray = state.strays.iter().position(|stray| stray.path == path);
                let stray = stray.map(|at| state.strays.swap_remove(at));
                state.roots.push(stray.unwrap_or_else(|| Root::at(path)));
            }
        }
        for stray in &state.strays {
            self.publish_problems(stray.path.clone());
        }
        let uris: Vec<Uri> = documents.by_uri.keys().cloned().collect();
        for uri in &uris {
            documents.host.place(uri.as_str(), state.folder_name(uri).as_deref());
        }
        drop((documents, state));
        self.read_launches();
        self.notify_observer(WorkspaceChange::Folders);
    }

    pub(crate) fn is_launch_file(&self, uri: &Uri) -> bool {
        let path = file_path(uri);
        self.lock().roots.iter().any(|root| path.as_ref() == Some(&root.path.join(FILE)))
    }
}

impl Folders {
    /// Name of the innermost folder around a document, whose launches apply to it; `None` outside all folders.
    pub(crate) fn folder_name(&self, uri: &Uri) -> Option<String> {
        self.root_around(uri).map(Root::name)
    }

    /// The innermost folder around a document; `None` outside all folders.
    pub(crate) fn root_around(&self, uri: &Uri) -> Option<&Root> {
        // A listing counts as being in the folder of its PTX.
        let path = file_path(self.sources.get(uri).unwrap_or(uri))?;
        let around = self.roots.iter().filter(|root| path.starts_with(&root.path));
        around.max_by_key(|root| root.path.components().count())
    }

    /// True if a folder's file names a Triton kernel to tune.
    pub(crate) fn tunes_triton(&self) -> bool {
        let mut files = self.roots.iter().filter_map(|root| root.launches.as_ref());
        files.any(|file| file.tunings.iter().any(ide::StatedTuning::is_of_triton))
    }
}
