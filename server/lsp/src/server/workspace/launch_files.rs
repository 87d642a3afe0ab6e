//! Shows problems of a folder's `warplens.toml` in that file. If an editor has the file open, these are the
//! problems of the text in the editor; otherwise they are the problems of the file on disk.

use crate::read::{LAUNCH_FILE_BYTES, ReadError};
use crate::server::documents::diagnostics::severity;
use crate::server::documents::document::apply;
use crate::server::transport::position::PositionConverter;
use crate::server::transport::uris::file_path;
use crate::server::workspace::root::{FILE, OpenFile, Root};
use crate::server::workspace::{Folders, Workspace};
use ide::{Problem, Severity};
use ropey::Rope;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tower_lsp_server::ls_types::{
    CreateFile, Diagnostic, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, PublishDiagnosticsParams, ResourceOp,
    TextDocumentContentChangeEvent, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

/// Message shown in a `warplens.toml` that has no effect.
const STRAY: &str = "this file applies only on the command line: in the editor, only the `warplens.toml` at the top of a workspace \
                     folder is read";

impl Folders {
    fn root_of(&mut self, uri: &Uri) -> Option<&mut Root> {
        let path = file_path(uri)?;
        self.roots.iter_mut().find(|root| root.path.join(FILE) == path)
    }

    /// The folder of an open `warplens.toml`; `None` if the document is not an open `warplens.toml`.
    pub(crate) fn open_root(&mut self, uri: &Uri) -> Option<&mut Root> {
        let mut all = self.roots.iter_mut().chain(&mut self.strays);
        all.find(|root| root.open.as_ref().is_some_and(|open| open.uri == *uri))
    }

    /// Records a `warplens.toml` outside the workspace's folders and returns its folder; `None` for any other document.
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

impl Workspace {
    /// Opens a `warplens.toml`. Returns false if the document has another file name.
    pub(crate) fn open_launch_file(&self, uri: &Uri, version: i32, text: &str) -> bool {
        let mut state = self.lock();
        let is_of_workspace = state.root_of(uri).is_some();
        let root = if is_of_workspace { state.root_of(uri) } else { state.stray(uri) };
        let Some(root) = root else { return false };
        root.open = Some(OpenFile { uri: uri.clone(), version, text: Rope::from_str(text) });
        self.publish_problems(root.path.clone());
        true
    }

    /// True if a document is open and is a folder's `warplens.toml`.
    pub(crate) fn has_open(&self, uri: &Uri) -> bool {
        self.lock().open_root(uri).is_some()
    }

    pub(crate) fn change_launch_file(
        &self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) {
        let encoding = self.documents.connection.features().encoding;
        let mut state = self.lock();
        let Some(root) = state.open_root(uri) else { return };
        if let Some(open) = &mut root.open {
            open.version = version;
            apply(&mut open.text, changes, encoding, |_, _| ());
        }
        self.publish_problems(root.path.clone());
    }

    /// Closes a `warplens.toml`. Returns false if the document is not an open `warplens.toml`.
    pub(crate) fn close_launch_file(&self, uri: &Uri) -> bool {
        let mut state = self.lock();
        let Some(root) = state.open_root(uri) else { return false };
        root.open = None;
        self.publish_problems(root.path.clone());
        let is_left = |stray: &Root| stray.open.is_none();
        if state.strays.iter().any(is_left) {
            state.strays.retain(|stray| !is_left(stray));
            self.documents.connection.clear_findings(uri.clone());
        }
        true
    }

    /// Queues the problems of a folder's file for the client, if they have changed.
    pub(super) fn publish_problems(&self, folder: PathBuf) {
        let workspace = self.clone();
        self.documents.connection.publish(move || workspace.launch_problems(&folder));
    }

    /// Returns the current problems of a folder's file and records them as sent; `None` if the client already shows
    /// them.
    fn launch_problems(&self, folder: &Path) -> Option<PublishDiagnosticsParams> {
        let features = self.documents.connection.features();
        let state = self.lock();
        let reader = self.documents.lock().host.launch_reader();
        let own = state.roots.iter().find(|root| root.path == folder);
        let is_stray = own.is_none();
        let root = own.or_else(|| state.strays.iter().find(|stray| stray.path == folder))?;
        let (uri, version, text) = root.text()?;
        // A text that is too large for a file has no effect, so it is not checked.
        let unreadable = match &root.open {
            Some(_) if text.len_bytes() as u64 > LAUNCH_FILE_BYTES => {
                Some(ReadError::TooLarge(LAUNCH_FILE_BYTES).to_string())
            }
            Some(_) => None,
            None => root.unreadable.clone(),
        };
        let data = root.data.clone();
        // Reading a large file takes time, so the locks are released first.
        drop(state);
        let mut problems = match unreadable {
            Some(why) => {
                let message = format!("{FILE}: {why}; it has no effect");
                vec![Problem::of_file(Severity::Error, message)]
            }
            // Only a file that the text on disk names has been read.
            None => reader.read(&text.to_string(), &|name| data.known(&folder.join(name))).1,
        };
        if is_stray {
            problems.insert(0, Problem::of_file(Severity::Info, STRAY.to_owned()));
        }
        let mut places = PositionConverter::new(&text, features.encoding);
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
        let Folders { roots, strays, .. } = &mut *state;
        let root = roots.iter_mut().chain(strays).find(|root| root.path == folder)?;
        // A newer version has arrived, and its problems are already queued.
        if root.open.as_ref().map(|open| open.version) != version || root.shown == diagnostics {
            return None;
        }
        root.shown.clone_from(&diagnostics);
        let version = version.filter(|_| features.diagnostic_versions);
        Some(PublishDiagnosticsParams::new(uri, diagnostics, version))
    }

    /// Returns an edit of the launches file in a document's folder. `state` computes the edit from the file's
    /// text. The edit creates the file if it does not exist.
    ///
    /// `None` for a document outside all folders, for a file that cannot be edited, and for a client that
    /// cannot create files.
    pub(crate) fn stating_edit(
        &self,
        document: &Uri,
        state: impl FnOnce(&str) -> Option<Vec<ide::TextEdit>>,
    ) -> Option<WorkspaceEdit> {
        let features = self.documents.connection.features();
        let locked = self.lock();
        let root = locked.root_around(document)?;
        let (uri, version, text) = root.text()?;
        let exists = root.open.is_some() || root.on_disk.is_some();
        drop(locked);
        let mut places = PositionConverter::new(&text, features.encoding);
        let edits = state(&text.to_string())?.into_iter();
        let edits = edits.map(|edit| TextEdit { range: places.range(&edit.range), new_text: edit.text });
        if !features.versioned_edits {
            let changes = HashMap::from([(uri, edits.collect())]);
            return exists.then(|| WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() });
        }
        let mut operations = Vec::new();
        if !exists {
            if !features.makes_files {
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
