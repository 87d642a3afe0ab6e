//! The workspace's folders, each with its `warplens.toml`: the launch context of the documents in it.

pub(crate) mod launch_files;
pub(crate) mod launch_reading;
pub(crate) mod launch_text;
pub(crate) mod listing_files;
pub(crate) mod listing_index;
pub(crate) mod listings;
pub(crate) mod root;
pub(crate) mod settings;

use crate::server::code::cubin_watch::Asking;
use crate::server::transport::outgoing::Outgoing;
use crate::server::workspace::root::{FILE, Root, file_path};
use crate::server::session::Session;
use crate::server::shared;
use crate::server::session::state::State;
use std::path::PathBuf;
use tower_lsp_server::ls_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, InitializeParams, Registration,
    Uri,
};

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
            self.say(Outgoing::Problems(stray.path.clone()));
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

    pub(crate) fn is_launch_file(&self, uri: &Uri) -> bool {
        let path = file_path(uri);
        self.lock().roots.iter().any(|root| path.as_ref() == Some(&root.path.join(FILE)))
    }

    /// Asks the client to report changes, if it supports registration.
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
        // A client that wants costs alone sends the documents that it wants them of.
        let sends_shared = self.greeting().costs_only;
        if sends_shared {
            registrations.extend(shared::registrations_of_strings(self.abilities()));
        }
        if self.abilities().registers_documents {
            registrations.extend(launch_files::registrations(self.abilities()));
            if !sends_shared {
                registrations.extend(shared::registrations(self.abilities(), true));
            }
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

    /// Asks for the documents that only the code of a build reports on, once such code is named, and for Python's once a Triton
    /// kernel is tuned. Further calls have no effect.
    pub(crate) fn register_sources(&self) {
        let mut state = self.lock();
        let are_wanted = state.cubins.are_wanted();
        let is_triton = state.cubins.asking_triton == Asking::May && state.tunes_triton();
        if are_wanted {
            state.cubins.asking = Asking::Done;
        }
        if is_triton {
            state.cubins.asking_triton = Asking::Done;
        }
        let (sources, triton) = (state.cubins.asking, state.cubins.asking_triton);
        drop(state);
        if !self.abilities().registers_documents || self.greeting().costs_only {
            return;
        }
        let mut registrations = Vec::new();
        if are_wanted {
            registrations = shared::registrations(self.abilities(), false);
            if triton == Asking::Done && !is_triton {
                registrations = shared::beside_triton(registrations, self.abilities());
            }
        } else if is_triton && sources != Asking::Done {
            registrations = shared::registrations_of_triton(self.abilities());
        }
        if !registrations.is_empty() {
            let client = self.client();
            tokio::spawn(async move { client.register_capability(registrations).await });
        }
    }
}
