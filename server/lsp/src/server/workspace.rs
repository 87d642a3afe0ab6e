//! The workspace's folders, each with its `warplens.toml`: the launch context of the documents in it.

use super::launch_files::{self, OpenFile};
use super::outbox::Outgoing;
use super::session::{Session, State};
use super::settings::Stale;
use ide::{Host, LaunchFile, Severity};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tower_lsp_server::ls_types::{
    Diagnostic, DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, InitializeParams,
    MessageType, Registration, Uri,
};

pub(crate) const FILE: &str = "warplens.toml";

/// One folder of the workspace.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) path: PathBuf,
    /// What its file says, as far as it is in force.
    pub(crate) launches: Option<LaunchFile>,
    /// What is wrong with the file, in one line.
    pub(crate) complaint: Option<String>,
    /// The file's text when it was last read; `None` where there is no such file.
    pub(crate) on_disk: Option<String>,
    /// Where an editor has the file open.
    pub(crate) open: Option<OpenFile>,
    /// What the client shows in the file.
    pub(crate) shown: Vec<Diagnostic>,
}

impl Root {
    fn at(path: PathBuf) -> Self {
        Self { path, launches: None, complaint: None, on_disk: None, open: None, shown: Vec::new() }
    }

    /// The folder's name in the engine.
    fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// That of its file.
    pub(crate) fn uri(&self) -> Option<Uri> {
        Uri::from_file_path(self.path.join(FILE))
    }
}

/// The folders that a client names.
pub(crate) fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    if let Some(folders) = params.workspace_folders.as_ref().filter(|folders| !folders.is_empty()) {
        return folders.iter().filter_map(|folder| file_path(&folder.uri)).collect();
    }
    #[expect(deprecated, reason = "older clients name their folder only here")]
    let one =
        params.root_uri.as_ref().and_then(file_path).or_else(|| params.root_path.as_ref().map(PathBuf::from));
    one.into_iter().collect()
}

pub(crate) fn file_path(uri: &Uri) -> Option<PathBuf> {
    let is_file = uri.scheme().as_str().eq_ignore_ascii_case("file");
    is_file.then(|| uri.to_file_path()).flatten().map(std::borrow::Cow::into_owned)
}

impl State {
    /// Gives a document the launch context of the innermost folder that it lies in.
    pub(crate) fn place(&mut self, uri: &Uri) {
        let nearest = self.root_around(uri).map(Root::name);
        self.host.place(uri.as_str(), nearest.as_deref());
    }

    /// The innermost folder that a document lies in.
    pub(crate) fn root_around(&self, uri: &Uri) -> Option<&Root> {
        // A listing lies where the PTX lies that it was made of.
        let path = file_path(self.sass_of.get(uri).unwrap_or(uri))?;
        let around = self.roots.iter().filter(|root| path.starts_with(&root.path));
        around.max_by_key(|root| root.path.components().count())
    }
}

impl Session {
    /// Takes folders in and leaves others, and reads the files of the new ones.
    pub(crate) fn change_folders(&self, left: &[PathBuf], entered: Vec<PathBuf>) {
        let mut state = self.lock();
        for path in left {
            state.host.forget_folder(&path.to_string_lossy());
        }
        for root in state.roots.iter().filter(|root| left.contains(&root.path) && !root.shown.is_empty()) {
            root.uri().into_iter().for_each(|uri| self.say(Outgoing::Cleared(uri)));
        }
        state.roots.retain(|root| !left.contains(&root.path));
        for path in entered {
            if state.roots.iter().all(|root| root.path != path) {
                state.roots.push(Root::at(path));
            }
        }
        let uris: Vec<Uri> = state.documents.keys().cloned().collect();
        for uri in &uris {
            state.place(uri);
        }
        drop(state);
        self.read_launches();
        self.listings_changed();
        self.watch_listings();
    }

    /// Reads the folders' files and puts them in force. One that does not say what it should leaves the previous one;
    /// where there is none, nothing is assumed of launches. True where something else is in force now.
    pub(crate) fn read_launches(&self) -> bool {
        let paths: Vec<PathBuf> = self.lock().roots.iter().map(|root| root.path.clone()).collect();
        let mut changed = false;
        for (index, path) in paths.iter().enumerate() {
            changed |= self.put_in_force(path, index == 0, read(path));
        }
        if paths.is_empty() {
            changed |= self.lock().host.set_launches(None).is_ok();
        }
        self.status_may_have_changed();
        changed
    }

    /// The first folder's file counts for documents outside all folders too.
    fn put_in_force(&self, path: &Path, first: bool, read: Result<Option<String>, String>) -> bool {
        let mut state = self.lock();
        let State { host, roots, .. } = &mut *state;
        let Some(root) = roots.iter_mut().find(|root| root.path == path) else { return false };
        let before = root.launches.clone();
        let without_listings = |file: &Option<LaunchFile>| {
            let mut file = file.clone().unwrap_or_default();
            file.listings.clear();
            file
        };
        let done = read.and_then(|text| {
            root.on_disk.clone_from(&text);
            let launches = text.map(|text| parse(host, &text)).transpose()?;
            let name = root.name();
            host.set_launches_for(&name, launches.clone()).map_err(|error| format!("{FILE}: {error}"))?;
            if first {
                host.set_launches(launches.clone()).map_err(|error| format!("{FILE}: {error}"))?;
            }
            root.launches = launches;
            Ok(())
        });
        root.complaint = done.err();
        if let Some(text) = &root.complaint {
            let text = format!("{text}; what was in force before stays");
            self.say(Outgoing::Message(MessageType::WARNING, text));
        }
        self.say(Outgoing::Problems(root.path.clone()));
        let changed = without_listings(&root.launches) != without_listings(&before);
        let listings = |file: &Option<LaunchFile>| file.as_ref().map(|file| file.listings.clone());
        let listings_changed = listings(&root.launches) != listings(&before);
        drop(state);
        if listings_changed {
            self.listings_changed();
            self.watch_listings();
        }
        changed
    }

    /// Files may have changed on the disk.
    pub(crate) fn reread_launches(&self) {
        if self.read_launches() {
            self.recheck();
            self.refresh(Stale::ALL);
        }
    }

    pub(crate) fn is_launch_file(&self, uri: &Uri) -> bool {
        let path = file_path(uri);
        self.lock().roots.iter().any(|root| path.as_ref() == Some(&root.path.join(FILE)))
    }

    /// Asks the client to tell of changes, where it can be asked.
    pub(crate) fn register(&self) {
        let mut registrations = Vec::new();
        if self.abilities().registers_watching {
            let watchers = vec![FileSystemWatcher {
                glob_pattern: GlobPattern::String(format!("**/{FILE}")),
                kind: None,
            }];
            registrations.push(Registration {
                id: "launches".to_owned(),
                method: "workspace/didChangeWatchedFiles".to_owned(),
                register_options: serde_json::to_value(DidChangeWatchedFilesRegistrationOptions { watchers })
                    .ok(),
            });
        }
        if self.abilities().registers_documents {
            registrations.extend(launch_files::registrations());
        }
        if self.abilities().registers_configuration {
            registrations.push(Registration {
                id: "settings".to_owned(),
                method: "workspace/didChangeConfiguration".to_owned(),
                register_options: Some(serde_json::json!({"section": "warplens"})),
            });
        }
        if registrations.is_empty() {
            return;
        }
        let client = self.client();
        tokio::spawn(async move { client.register_capability(registrations).await });
    }
}

/// The text of a folder's file; `None` where it has none, and one line where it cannot be read.
fn read(folder: &Path) -> Result<Option<String>, String> {
    match std::fs::read_to_string(folder.join(FILE)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(format!("{FILE}: {error}")),
    }
}

/// What a file says; one line where it does not say what it should.
fn parse(host: &Host, text: &str) -> Result<LaunchFile, String> {
    let (file, problems) = host.read_launches(text);
    match problems.into_iter().find(|problem| problem.severity == Severity::Error) {
        Some(problem) => Err(format!("{FILE}:{}: {}", problem.line, problem.message)),
        None => Ok(file),
    }
}
