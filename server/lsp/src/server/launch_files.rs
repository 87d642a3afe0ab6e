//! Problems of a folder's `warplens.toml`, shown in it: those of the text that an editor has open, else of the file's.

use super::diagnostics::severity;
use super::document::apply;
use super::outgoing::Outgoing;
use super::position::Places;
use super::root::{FILE, OpenFile, Root, file_path};
use super::session::Session;
use super::state::State;
use crate::read::{LAUNCH_FILE_BYTES, Refused};
use ide::{Problem, Severity, StatedTrips};
use ropey::Rope;
use serde_json::json;
use std::collections::HashMap;
use tower_lsp_server::ls_types::{
    CreateFile, Diagnostic, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Registration, ResourceOp, TextDocumentContentChangeEvent,
    TextDocumentEdit, TextDocumentSyncKind, TextEdit, Uri, WorkspaceEdit,
};

/// Problems to show in a folder's file.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) uri: Uri,
    /// Version of the open text; `None` where none is open or the client takes no versions.
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
            apply(&mut open.text, std::mem::take(changes), encoding, |_, _| ());
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

    /// Returns the problems to be shown in the file of a folder now; `None` where the client shows them already. Takes
    /// note that they are being sent.
    pub(crate) fn launch_problems(&self, folder: &std::path::Path) -> Option<Shown> {
        let abilities = self.abilities();
        let state = self.lock();
        let reader = state.host.launch_reader();
        let root = state.roots.iter().find(|root| root.path == folder)?;
        let (uri, version, text) = root.text()?;
        // A text that is too large as a file says nothing, so nothing is looked for in it.
        let unreadable = match &root.open {
            Some(_) if text.len_bytes() as u64 > LAUNCH_FILE_BYTES => {
                Some(Refused::TooLarge(LAUNCH_FILE_BYTES).to_string())
            }
            Some(_) => None,
            None => root.unreadable.clone(),
        };
        // A large file takes its time, in which the others go on.
        drop(state);
        let problems = match unreadable {
            Some(why) => {
                let message = format!("{FILE}: {why}; nothing of it counts");
                vec![Problem { range: 0..0, line: 1, severity: Severity::Error, message, breaks_file: true }]
            }
            None => reader.read(&text.to_string()).1,
        };
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
        let mut state = self.lock();
        let root = state.roots.iter_mut().find(|root| root.path == folder)?;
        // Another version has come meanwhile; it is looked at after this one.
        if root.open.as_ref().map(|open| open.version) != version || root.shown == diagnostics {
            return None;
        }
        root.shown.clone_from(&diagnostics);
        let version = version.filter(|_| abilities.diagnostic_versions);
        Some(Shown { uri, version, diagnostics })
    }
}

impl Session {
    /// The edit of the launches file of a document's folder that states a loop's trips. Makes the file where there is none.
    ///
    /// `None` for a document outside all folders, a file in a form that is not edited, and a client that cannot make files.
    pub(crate) fn trips_edit(&self, document: &Uri, stated: &StatedTrips) -> Option<WorkspaceEdit> {
        let abilities = self.abilities();
        let state = self.lock();
        let root = state.root_around(document)?;
        let (uri, version, text) = root.text()?;
        let exists = root.open.is_some() || root.on_disk.is_some();
        drop(state);
        let mut places = Places::new(&text, abilities.encoding);
        let edits = stated.edits(&text.to_string())?.into_iter();
        let edits = edits.map(|edit| TextEdit { range: places.range(&edit.range), new_text: edit.text });
        if !abilities.versioned_edits {
            let changes = HashMap::from([(uri, edits.collect())]);
            return exists.then(|| WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() });
        }
        let mut operations = Vec::new();
        if !exists {
            if !abilities.makes_files {
                return None;
            }
            let make = CreateFile { uri: uri.clone(), options: None, annotation_id: None };
            operations.push(DocumentChangeOperation::Op(ResourceOp::Create(make)));
        }
        operations.push(DocumentChangeOperation::Edit(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: edits.map(OneOf::Left).collect(),
        }));
        let changes = DocumentChanges::Operations(operations);
        Some(WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() })
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
