//! Profiles attached to the session, and runs under the profiler. Profiles are found or requested, and are
//! read again when their files change.
//!
//! This module owns the attached files, the watcher of their folders, the commands that the user has agreed
//! to run, and the semaphore of the profiler. Its lock is taken before the locks of `workspace` and
//! `documents`. The contents of profiles belong to the engine's host.

pub(crate) mod files;
pub(crate) mod follow;

use crate::read::name_of;
use crate::server::documents::Documents;
use crate::server::transport::connection::Connection;
use crate::server::transport::locked::locked;
use crate::server::transport::outgoing::Outgoing;
use crate::server::transport::stale::StaleDisplay;
use crate::server::transport::uris::file_path;
use crate::server::workspace::Workspace;
use files::{ProfileFiles, ProfileSources, Update, WrittenReport, look};
use notify::{RecursiveMode, Watcher};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::{MessageType, Uri};

/// File changes within this time are handled together.
const PAUSE: Duration = Duration::from_millis(200);

/// `warplens/profilesChanged`: other profiles are attached, or another launch is shown.
enum ProfilesChanged {}

impl Notification for ProfilesChanged {
    type Params = AttachedProfiles;
    const METHOD: &'static str = "warplens/profilesChanged";
}

/// The names of the attached profiles, and a line for each file that could not be read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct AttachedProfiles {
    pub(crate) profiles: Vec<String>,
    pub(crate) problems: Vec<String>,
    /// Matched kernels of the active document; `None` if the document has no code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) matched: Option<MatchedKernels>,
    #[serde(skip)]
    is_nothing_read: bool,
}

/// Number of measured kernels of a document, and number of all its kernels.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct MatchedKernels {
    uri: Uri,
    measured: usize,
    kernels: usize,
}

/// A folder, and the command that runs in it.
type FolderCommand = (PathBuf, Vec<String>);

/// A handle to the profiles; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Profiles {
    documents: Documents,
    workspace: Workspace,
    files: Arc<Mutex<ProfileFiles>>,
    /// Commands that the user has agreed to run.
    agreed: Arc<Mutex<HashSet<FolderCommand>>>,
    /// Lets one profiler run at a time.
    profiling: Arc<Semaphore>,
}

impl Profiles {
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self {
            documents: workspace.documents.clone(),
            workspace,
            files: Arc::default(),
            agreed: Arc::default(),
            profiling: Arc::new(Semaphore::new(1)),
        }
    }

    /// Locks the attached files.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ProfileFiles> {
        locked(&self.files)
    }

    const fn connection(&self) -> &Connection {
        &self.documents.connection
    }

    /// Counts the measured kernels of the active document; `None` if the document has no code.
    pub(crate) async fn matched(&self) -> Option<MatchedKernels> {
        let uri = self.documents.lock().active.clone()?;
        let counts = self.documents.answer(&uri, |view| view.analysis.measured_kernels()).await.ok()?;
        let (measured, kernels) = counts.flatten()?;
        Some(MatchedKernels { uri, measured, kernels })
    }

    /// Attaches `files` and detaches all other files, unless none of `files` can be read. Returns the
    /// profiles attached afterwards.
    pub(crate) async fn attach(&self, files: Vec<PathBuf>) -> AttachedProfiles {
        let before = {
            let own = &mut self.lock();
            let asked = std::mem::replace(&mut own.asked, files.clone());
            (asked, std::mem::replace(&mut own.is_detached, false))
        };
        let attached = self.look().await;
        if !attached.problems.is_empty() && attached.is_nothing_read {
            let own = &mut self.lock();
            // A later command may have named other files meanwhile.
            if own.asked == files {
                (own.asked, own.is_detached) = before;
            }
        }
        attached
    }

    /// Detaches all profiles. No profile is attached until a command names a file or a run writes a report.
    pub(crate) async fn detach(&self) -> AttachedProfiles {
        {
            let own = &mut self.lock();
            own.is_detached = true;
            own.asked.clear();
        }
        self.look().await
    }

    /// Shows a kernel's launch in a run's report. `number` counts the kernel's launches in that report.
    pub(crate) async fn show_report(&self, made: WrittenReport, kernel: &str, number: usize) {
        let name = name_of(&made.path);
        {
            let own = &mut self.lock();
            own.add_made(made);
        }
        self.look().await;
        let profiles = {
            let host = &mut self.documents.lock().host;
            host.choose_launch_in(&name, kernel, number).then(|| host.profile_names())
        };
        if let Some(profiles) = profiles {
            self.changed(AttachedProfiles { profiles, ..AttachedProfiles::default() });
        }
    }

    /// Shows another launch of a kernel.
    pub(crate) fn choose_launch(&self, kernel: &str, number: usize) {
        let profiles = {
            let host = &mut self.documents.lock().host;
            host.choose_launch(kernel, number);
            host.profile_names()
        };
        self.changed(AttachedProfiles { profiles, ..AttachedProfiles::default() });
    }

    /// Checks, after a pause, whether other profiles are named or found now.
    pub(crate) fn may_have_changed(&self) {
        if std::mem::replace(&mut self.lock().is_due, true) {
            return;
        }
        let profiles = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(PAUSE).await;
            profiles.lock().is_due = false;
            profiles.look().await;
        });
    }

    /// Reads new and changed files, and shows their contents.
    async fn look(&self) -> AttachedProfiles {
        let (places, seen, uri) = {
            let mut files = self.lock();
            let folders = self.workspace.lock();
            let documents = self.documents.lock();
            let folders = folders.roots.iter().map(|root| {
                let stated = root.launches.as_ref().map(|file| file.profile.reports.clone());
                (root.path.clone(), stated.unwrap_or_default())
            });
            let places = if files.is_detached {
                ProfileSources::default()
            } else {
                ProfileSources {
                    asked: files.asked.clone(),
                    folders: folders.collect(),
                    documents: documents.by_uri.keys().filter_map(file_path).collect(),
                }
            };
            (places, files.seen(), documents.active.clone())
        };
        // A large report takes seconds to read, so the client shows progress.
        let _shown = uri.and_then(|uri| self.connection().follow_work(&uri, "reading profiles for"));
        let work = move || {
            let update = look(&places.files(), seen);
            (update, places.watched())
        };
        let Ok((update, watched)) = spawn_blocking(work).await else { return AttachedProfiles::default() };
        self.show(&update, watched)
    }

    fn show(&self, update: &Update, watched: Vec<PathBuf>) -> AttachedProfiles {
        let (attached, is_same) = self.take(update, watched);
        for problem in &update.problems {
            self.connection().send(Outgoing::Message(MessageType::WARNING, problem.clone()));
        }
        if !is_same {
            self.changed(attached.clone());
        }
        attached
    }

    /// Stores the result of reading the files. Returns the attached profiles, and true if they are the same as before.
    fn take(&self, update: &Update, watched: Vec<PathBuf>) -> (AttachedProfiles, bool) {
        let mut files = self.lock();
        let is_latest = files.take(update);
        if is_latest && files.watched != watched {
            files.watcher = self.watch(&watched);
            files.watched = watched;
        }
        // Unreadable files do not detach profiles.
        let is_nothing_read = update.attached.is_empty() && !update.problems.is_empty();
        let host = &mut self.documents.lock().host;
        let is_same = !is_latest || is_nothing_read || host.has_profiles(&update.attached);
        if !is_same {
            host.attach_profiles(update.attached.clone());
        }
        let (profiles, problems) = (host.profile_names(), update.problems.clone());
        let attached = AttachedProfiles { profiles, problems, is_nothing_read, matched: None };
        (attached, is_same)
    }

    fn changed(&self, attached: AttachedProfiles) {
        self.documents.recheck();
        self.documents.refresh(StaleDisplay::ALL);
        if self.connection().features().profile_changes {
            let client = self.connection().client();
            tokio::spawn(async move { client.send_notification::<ProfilesChanged>(attached).await });
        }
    }

    /// Watches the folders; `None` if the system cannot watch folders.
    fn watch(&self, folders: &[PathBuf]) -> Option<notify::RecommendedWatcher> {
        let profiles = self.clone();
        let runtime = tokio::runtime::Handle::current();
        let reported = move |event: notify::Result<notify::Event>| {
            let is_change = |event: &notify::Event| {
                let has_profile = event.paths.iter().any(|path| {
                    let ending = path.extension().unwrap_or_default();
                    ["ncu-rep", "csv", "txt", "log"].iter().any(|own| ending == *own)
                });
                has_profile && !matches!(event.kind, notify::EventKind::Access(_))
            };
            if event.is_ok_and(|event| is_change(&event)) {
                // Spawned away from the watcher's thread: `watch` waits for that thread while the lock is
                // held.
                let profiles = profiles.clone();
                runtime.spawn(async move { profiles.may_have_changed() });
            }
        };
        let mut watcher = notify::recommended_watcher(reported).ok()?;
        for folder in folders {
            if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
                tracing::warn!("profiles: {} is not watched: {error}", folder.display());
            }
        }
        Some(watcher)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use tower_lsp_server::jsonrpc::Result;
    use tower_lsp_server::ls_types::{InitializeParams, InitializeResult};
    use tower_lsp_server::{LanguageServer, LspService};

    struct NoServer;

    impl LanguageServer for NoServer {
        async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
            Ok(InitializeResult::default())
        }

        async fn shutdown(&self) -> Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_change_does_not_block_the_watcher_while_the_lock_is_held() {
        let mut client = None;
        let _service = LspService::new(|own| {
            client = Some(own);
            NoServer
        });
        let connection = Connection::new(client.unwrap());
        let profiles = Profiles::new(Workspace::new(Documents::new(connection)));
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let files = profiles.lock();
        let mut watcher = profiles.watch(&[one.path().to_owned()]).unwrap();
        std::fs::write(one.path().join("run.csv"), "").unwrap();
        std::thread::sleep(PAUSE);
        let (watched, is_watched) = mpsc::channel();
        let folder = other.path().to_owned();
        std::thread::spawn(move || {
            watcher.watch(&folder, RecursiveMode::NonRecursive).unwrap();
            watched.send(watcher)
        });
        assert!(is_watched.recv_timeout(Duration::from_secs(10)).is_ok(), "the watcher's thread is blocked");
        drop(files);
    }
}
