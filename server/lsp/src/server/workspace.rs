//! `warplens.toml` at the workspace's root: the launch context.

use super::outbox::Outgoing;
use super::session::Session;
use super::settings::Stale;
use ide::LaunchFile;
use std::io::ErrorKind;
use std::path::PathBuf;
use tower_lsp_server::ls_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, InitializeParams, MessageType,
    Registration, Uri,
};

pub(crate) const FILE: &str = "warplens.toml";

/// The folder that `warplens.toml` is looked for in: the first workspace folder.
pub(crate) fn root(params: &InitializeParams) -> Option<PathBuf> {
    if let Some(folder) = params.workspace_folders.iter().flatten().next() {
        return file_path(&folder.uri);
    }
    #[expect(deprecated, reason = "older clients name their folder only here")]
    params.root_uri.as_ref().and_then(file_path).or_else(|| params.root_path.as_ref().map(PathBuf::from))
}

fn file_path(uri: &Uri) -> Option<PathBuf> {
    let is_file = uri.scheme().as_str().eq_ignore_ascii_case("file");
    is_file.then(|| uri.to_file_path()).flatten().map(std::borrow::Cow::into_owned)
}

impl Session {
    /// Reads the file and puts it in force. One that does not say what it should leaves the previous one; where there
    /// is none, nothing is assumed of launches.
    pub(crate) fn read_launches(&self) {
        let Some(root) = &self.greeting().root else { return };
        let read = match std::fs::read_to_string(root.join(FILE)) {
            Ok(text) => LaunchFile::parse(FILE, &text).map(Some).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("{FILE}: {error}")),
        };
        let done = read.and_then(|launches| {
            let set = self.lock().host.set_launches(launches);
            set.map_err(|error| format!("{FILE}: {error}"))
        });
        if let Err(text) = done {
            self.say(Outgoing::Message(
                MessageType::WARNING,
                format!("{text}; what was in force before stays"),
            ));
        }
    }

    /// The file may have changed on the disk.
    pub(crate) fn reread_launches(&self) {
        self.read_launches();
        self.recheck();
        self.refresh(Stale::ALL);
    }

    pub(crate) fn is_launch_file(&self, uri: &Uri) -> bool {
        self.greeting().root.as_ref().is_some_and(|root| file_path(uri) == Some(root.join(FILE)))
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
