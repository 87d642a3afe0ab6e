//! What is wrong with a folder's `warplens.toml`, shown in it: of the text that an editor has open, else of the file's.

use super::diagnostics::severity;
use super::document::apply;
use super::outbox::Outgoing;
use super::position::Places;
use super::session::{Session, State};
use super::workspace::{FILE, Root, file_path};
use ropey::Rope;
use serde_json::json;
use tower_lsp_server::ls_types::{
    Diagnostic, Registration, TextDocumentContentChangeEvent, TextDocumentSyncKind, Uri,
};

/// A file that an editor has open.
#[derive(Debug)]
pub(crate) struct OpenFile {
    uri: Uri,
    version: i32,
    text: Rope,
}

/// What there is to show in a folder's file.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) uri: Uri,
    /// Of the open text.
    pub(crate) version: Option<i32>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl State {
    fn root_of(&mut self, uri: &Uri) -> Option<&mut Root> {
        let path = file_path(uri)?;
        self.roots.iter_mut().find(|root| root.path.join(FILE) == path)
    }

    /// The root whose file that document is, where an editor has it open as such.
    fn open_root(&mut self, uri: &Uri) -> Option<&mut Root> {
        self.roots.iter_mut().find(|root| root.open.as_ref().is_some_and(|open| open.uri == *uri))
    }
}

impl Session {
    /// False for a document that is no folder's launches file.
    pub(crate) fn open_launch_file(&self, uri: &Uri, version: i32, text: &str) -> bool {
        let mut state = self.lock();
        let Some(root) = state.root_of(uri) else { return false };
        root.open = Some(OpenFile { uri: uri.clone(), version, text: Rope::from_str(text) });
        self.say(Outgoing::Problems(root.path.clone()));
        true
    }

    /// False for a document that is not open as a folder's launches file.
    pub(crate) fn change_launch_file(
        &self,
        uri: &Uri,
        version: i32,
        changes: &mut Vec<TextDocumentContentChangeEvent>,
    ) -> bool {
        let encoding = self.abilities().encoding;
        let mut state = self.lock();
        let Some(root) = state.open_root(uri) else { return false };
        if let Some(open) = &mut root.open {
            open.version = version;
            apply(&mut open.text, std::mem::take(changes), encoding);
        }
        self.say(Outgoing::Problems(root.path.clone()));
        true
    }

    /// False for a document that is not open as a folder's launches file.
    pub(crate) fn close_launch_file(&self, uri: &Uri) -> bool {
        let mut state = self.lock();
        let Some(root) = state.open_root(uri) else { return false };
        root.open = None;
        self.say(Outgoing::Problems(root.path.clone()));
        true
    }

    /// What is to be shown in the file of a folder now; `None` where the client shows it already. Takes note that it is
    /// being sent.
    pub(crate) fn launch_problems(&self, folder: &std::path::Path) -> Option<Shown> {
        let abilities = self.abilities();
        let mut state = self.lock();
        let State { host, roots, .. } = &mut *state;
        let root = roots.iter_mut().find(|root| root.path == folder)?;
        let (uri, version, text) = match &root.open {
            Some(open) => (open.uri.clone(), Some(open.version), open.text.clone()),
            None => (root.uri()?, None, Rope::from_str(root.on_disk.as_deref().unwrap_or_default())),
        };
        let (_, problems) = host.read_launches(&text.to_string());
        let mut places = Places::new(&text, abilities.encoding);
        let diagnostics: Vec<Diagnostic> = problems
            .into_iter()
            .map(|problem| Diagnostic {
                range: places.range(&problem.range),
                severity: Some(severity(problem.severity)),
                source: Some("warplens".to_owned()),
                message: problem.message,
                ..Diagnostic::default()
            })
            .collect();
        if root.shown == diagnostics {
            return None;
        }
        root.shown.clone_from(&diagnostics);
        let version = version.filter(|_| abilities.diagnostic_versions);
        Some(Shown { uri, version, diagnostics })
    }
}

/// Asks for the text of these files while they are edited, beside the documents that the client sends anyway.
pub(crate) fn registrations() -> Vec<Registration> {
    let selector = json!([{"scheme": "file", "pattern": format!("**/{FILE}")}]);
    let registration = |name: &str, options: serde_json::Value| Registration {
        id: format!("launches-{name}"),
        method: format!("textDocument/{name}"),
        register_options: Some(options),
    };
    let sync = TextDocumentSyncKind::INCREMENTAL;
    vec![
        registration("didOpen", json!({"documentSelector": selector})),
        registration("didChange", json!({"documentSelector": selector, "syncKind": sync})),
        registration("didClose", json!({"documentSelector": selector})),
    ]
}
