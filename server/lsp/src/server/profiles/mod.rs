//! Profiles that are attached to the session: found, asked for, and followed while their files change.

pub(crate) mod files;
pub(crate) mod follow;

use crate::server::transport::outgoing::Outgoing;
use crate::server::profiles::files::{Made, Places, Update, look};
use crate::server::workspace::root::file_path;
use crate::server::session::Session;
use crate::server::transport::stale::Stale;
use notify::{RecursiveMode, Watcher};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::{MessageType, Uri};

/// Changes of files within this time are looked at together.
const PAUSE: Duration = Duration::from_millis(200);

/// `warplens/profilesChanged`: other profiles are attached, or another launch is shown.
enum ProfilesChanged {}

impl Notification for ProfilesChanged {
    type Params = Attached;
    const METHOD: &'static str = "warplens/profilesChanged";
}

/// The names of the attached profiles, and what could not be read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Attached {
    pub(crate) profiles: Vec<String>,
    pub(crate) problems: Vec<String>,
    /// The kernels of the document that was looked at last; `None` where it has no code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) matched: Option<Matched>,
    #[serde(skip)]
    is_nothing_read: bool,
}

/// How many kernels of a document were measured, and how many it has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Matched {
    uri: Uri,
    measured: usize,
    kernels: usize,
}

impl Session {
    /// The kernels of the document that was looked at last, for a client to say what a profile matched.
    pub(crate) async fn matched(&self) -> Option<Matched> {
        let uri = self.lock().active.clone()?;
        let counts = self.answer(&uri, |view| view.analysis.measured_kernels()).await.ok()?;
        let (measured, kernels) = counts.flatten()?;
        Some(Matched { uri, measured, kernels })
    }

    /// Attaches these files and no others; where none of them can be read, those that were there stay. Returns what is attached then.
    pub(crate) async fn attach_profiles(&self, files: Vec<PathBuf>) -> Attached {
        let before = {
            let own = &mut self.lock().profiles;
            let asked = std::mem::replace(&mut own.asked, files);
            (asked, std::mem::replace(&mut own.is_detached, false))
        };
        let attached = self.look_at_profiles().await;
        if !attached.problems.is_empty() && attached.is_nothing_read {
            let own = &mut self.lock().profiles;
            (own.asked, own.is_detached) = before;
        }
        attached
    }

    /// Takes all profiles off, for good.
    pub(crate) async fn detach_profiles(&self) -> Attached {
        {
            let own = &mut self.lock().profiles;
            own.is_detached = true;
            own.asked.clear();
        }
        self.look_at_profiles().await
    }

    /// Shows the launch of a kernel in a report that a run has left, by its number among those of the kernel there.
    pub(crate) async fn show_made(&self, made: Made, kernel: &str, number: usize) {
        let name = made.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        {
            let own = &mut self.lock().profiles;
            own.add_made(made);
        }
        self.look_at_profiles().await;
        let profiles = {
            let host = &mut self.lock().host;
            host.choose_launch_in(&name, kernel, number).then(|| host.profile_names())
        };
        if let Some(profiles) = profiles {
            self.profiles_changed(Attached { profiles, ..Attached::default() });
        }
    }

    /// Shows another launch of a kernel.
    pub(crate) fn choose_launch(&self, kernel: &str, number: usize) {
        let profiles = {
            let host = &mut self.lock().host;
            host.choose_launch(kernel, number);
            host.profile_names()
        };
        self.profiles_changed(Attached { profiles, ..Attached::default() });
    }

    /// Looks after a moment whether other profiles are stated or found now.
    pub(crate) fn profiles_may_have_changed(&self) {
        if std::mem::replace(&mut self.lock().profiles.is_due, true) {
            return;
        }
        let session = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(PAUSE).await;
            session.lock().profiles.is_due = false;
            session.look_at_profiles().await;
        });
    }

    /// Reads the files that are new or have changed, and shows what they have.
    async fn look_at_profiles(&self) -> Attached {
        let (places, seen, uri) = {
            let state = self.lock();
            let folders = state.roots.iter().map(|root| {
                let stated = root.launches.as_ref().map(|file| file.profile.reports.clone());
                (root.path.clone(), stated.unwrap_or_default())
            });
            let places = if state.profiles.is_detached {
                Places::default()
            } else {
                Places {
                    asked: state.profiles.asked.clone(),
                    folders: folders.collect(),
                    documents: state.documents.keys().filter_map(file_path).collect(),
                }
            };
            (places, state.profiles.seen(), state.active.clone())
        };
        // A large report takes seconds, for which the client shows its user progress.
        let _told = uri.and_then(|uri| self.follow_work(&uri, "reading profiles for"));
        let work = move || {
            let update = look(&places.files(), seen);
            (update, places.watched())
        };
        let Ok((update, watched)) = spawn_blocking(work).await else { return Attached::default() };
        self.show_profiles(&update, watched)
    }

    fn show_profiles(&self, update: &Update, watched: Vec<PathBuf>) -> Attached {
        let mut state = self.lock();
        state.profiles.take(update);
        if state.profiles.watched != watched {
            state.profiles.watcher = self.watch_profiles(&watched);
            state.profiles.watched = watched;
        }
        // What cannot be read takes nothing off.
        let is_nothing_read = update.attached.is_empty() && !update.problems.is_empty();
        let is_same = is_nothing_read || state.host.has_profiles(&update.attached);
        if !is_same {
            state.host.attach_profiles(update.attached.clone());
        }
        let (profiles, problems) = (state.host.profile_names(), update.problems.clone());
        let attached = Attached { profiles, problems, is_nothing_read, matched: None };
        drop(state);
        for problem in &update.problems {
            self.say(Outgoing::Message(MessageType::WARNING, problem.clone()));
        }
        if !is_same {
            self.profiles_changed(attached.clone());
        }
        attached
    }

    fn profiles_changed(&self, attached: Attached) {
        let mut state = self.lock();
        for document in state.documents.values_mut() {
            document.changed.send_replace(());
        }
        drop(state);
        self.refresh(Stale::ALL);
        if self.abilities().profile_changes {
            let session = self.clone();
            tokio::spawn(
                async move { session.client().send_notification::<ProfilesChanged>(attached).await },
            );
        }
    }

    /// Watches the folders; `None` where the system cannot.
    fn watch_profiles(&self, folders: &[PathBuf]) -> Option<notify::RecommendedWatcher> {
        let session = self.clone();
        let runtime = tokio::runtime::Handle::current();
        let told = move |event: notify::Result<notify::Event>| {
            let is_change = |event: &notify::Event| {
                let has_profile = event.paths.iter().any(|path| {
                    let ending = path.extension().unwrap_or_default();
                    ["ncu-rep", "csv", "txt", "log"].iter().any(|own| ending == *own)
                });
                has_profile && !matches!(event.kind, notify::EventKind::Access(_))
            };
            if event.is_ok_and(|event| is_change(&event)) {
                let _entered = runtime.enter();
                session.profiles_may_have_changed();
            }
        };
        let mut watcher = notify::recommended_watcher(told).ok()?;
        for folder in folders {
            if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
                tracing::warn!("profiles: {} is not watched: {error}", folder.display());
            }
        }
        Some(watcher)
    }
}
