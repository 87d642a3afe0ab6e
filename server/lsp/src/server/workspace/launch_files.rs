//! Problems of a folder's `warplens.toml`, shown in it: those of the text that an editor has open, else of the file's.

use crate::server::transport::client_capabilities::Abilities;
use crate::server::documents::diagnostics::severity;
use crate::server::documents::document::apply;
use crate::server::handlers::semantic_tokens;
use crate::server::transport::outgoing::Outgoing;
use crate::server::transport::position::Places;
use crate::server::workspace::root::{FILE, OpenFile, Root, file_path};
use crate::server::session::Session;
use crate::server::session::state::State;
use crate::read::{LAUNCH_FILE_BYTES, Refused};
use ide::{Problem, Severity};
use ropey::Rope;
use serde_json::json;
use std::collections::HashMap;
use tower_lsp_server::ls_types::{
    CodeActionKind, CreateFile, Diagnostic, DocumentChangeOperation, DocumentChanges, OneOf,
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

/// Words for a file that does not count.
const STRAY: &str = "the editor takes what counts from the `warplens.toml` at the top of a workspace's folder: this file counts \
                     for `--launches` alone";

impl State {
    fn root_of(&mut self, uri: &Uri) -> Option<&mut Root> {
        let path = file_path(uri)?;
        self.roots.iter_mut().find(|root| root.path.join(FILE) == path)
    }

    /// The folder whose file that document is, where an editor has it open as such.
    pub(crate) fn open_root(&mut self, uri: &Uri) -> Option<&mut Root> {
        let mut all = self.roots.iter_mut().chain(&mut self.strays);
        all.find(|root| root.open.as_ref().is_some_and(|open| open.uri == *uri))
    }

    /// The folder of a file of that name outside the workspace's folders; it is remembered.
    fn stray(&mut self, uri: &Uri) -> Option<&mut Root> {
        let path = file_path(uri).filter(|path| path.ends_with(FILE))?;
        let folder = path.parent()?;
        let at = self.strays.iter().position(|stray| stray.path == folder).unwrap_or_else(|| {
            self.strays.push(Root::at(folder.to_path_buf()));
            self.strays.len() - 1
        });
        self.strays.get_mut(at)
    }
}

impl Session {
    /// False for a document that is no launches file by its name.
    pub(crate) fn open_launch_file(&self, uri: &Uri, version: i32, text: &str) -> bool {
        let mut state = self.lock();
        let is_of_workspace = state.root_of(uri).is_some();
        let root = if is_of_workspace { state.root_of(uri) } else { state.stray(uri) };
        let Some(root) = root else { return false };
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
        let is_left = |stray: &Root| stray.open.is_none();
        if state.strays.iter().any(is_left) {
            state.strays.retain(|stray| !is_left(stray));
            self.say(Outgoing::Cleared(uri.clone()));
        }
        true
    }

    /// Returns the problems to be shown in the file of a folder now; `None` where the client shows them already. Takes
    /// note that they are being sent.
    pub(crate) fn launch_problems(&self, folder: &std::path::Path) -> Option<Shown> {
        let abilities = self.abilities();
        let state = self.lock();
        let reader = state.host.launch_reader();
        let own = state.roots.iter().find(|root| root.path == folder);
        let is_stray = own.is_none();
        let root = own.or_else(|| state.strays.iter().find(|stray| stray.path == folder))?;
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
        let mut problems = match unreadable {
            Some(why) => {
                let message = format!("{FILE}: {why}; nothing of it counts");
                vec![Problem::of_file(Severity::Error, message)]
            }
            None => reader.read(&text.to_string()).1,
        };
        if is_stray {
            problems.insert(0, Problem::of_file(Severity::Info, STRAY.to_owned()));
        }
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
        let State { roots, strays, .. } = &mut *state;
        let root = roots.iter_mut().chain(strays).find(|root| root.path == folder)?;
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
    /// The edit of the launches file of a document's folder; `state` gives the edits of its text, if it can be edited. Makes the file if it
    /// does not exist.
    ///
    /// `None` for a document outside all folders, a file in a form that is not edited, and a client that cannot make files.
    pub(crate) fn stating_edit(
        &self,
        document: &Uri,
        state: impl FnOnce(&str) -> Option<Vec<ide::TextEdit>>,
    ) -> Option<WorkspaceEdit> {
        let abilities = self.abilities();
        let locked = self.lock();
        let root = locked.root_around(document)?;
        let (uri, version, text) = root.text()?;
        let exists = root.open.is_some() || root.on_disk.is_some();
        drop(locked);
        let mut places = Places::new(&text, abilities.encoding);
        let edits = state(&text.to_string())?.into_iter();
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

/// Asks for the text of these files while they are edited, in addition to the documents that the client sends anyway, and
/// for the questions about them.
pub(crate) fn registrations(client: &Abilities) -> Vec<Registration> {
    let registration = |name: &str, mut options: serde_json::Value| {
        options["documentSelector"] = json!([{"scheme": "file", "pattern": format!("**/{FILE}")}]);
        Registration {
            id: format!("launches-{name}"),
            method: format!("textDocument/{name}"),
            register_options: Some(options),
        }
    };
    let requests = [
        ("hover", json!({})),
        ("codeAction", json!({"codeActionKinds": [CodeActionKind::QUICKFIX]})),
        ("completion", json!({"triggerCharacters": TRIGGERS})),
        ("semanticTokens", json!({"legend": semantic_tokens::legend(), "full": true, "range": true})),
    ];
    let is_taken = |name: &str| client.registered_requests.contains(&&*format!("textDocument/{name}"));
    let mut all = vec![
        registration("didOpen", json!({})),
        registration("didChange", json!({"syncKind": TextDocumentSyncKind::INCREMENTAL})),
        registration("didClose", json!({})),
    ];
    let requests = requests.into_iter().filter(|(name, _)| is_taken(name));
    all.extend(requests.map(|(name, options)| registration(name, options)));
    all
}

/// Characters that have a client ask for proposals: those before a name of a table, a value and a text.
const TRIGGERS: [&str; 5] = ["[", "=", " ", "\"", "."];
