//! Edits of the document that they were computed from, as clients take them.

use crate::server::work::View;
use std::collections::HashMap;
use tower_lsp_server::ls_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit,
    WorkspaceEdit,
};

pub(super) fn text_edits(view: &View, edits: Vec<ide::TextEdit>) -> Vec<TextEdit> {
    let mut places = view.places();
    edits.into_iter().map(|edit| TextEdit { range: places.range(&edit.range), new_text: edit.text }).collect()
}

/// For that version alone, where the client can be told so.
pub(super) fn workspace_edit(view: &View, edits: Vec<ide::TextEdit>) -> WorkspaceEdit {
    let edits = text_edits(view, edits);
    if !view.abilities.versioned_edits {
        let changes = HashMap::from([(view.uri.clone(), edits)]);
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let text_document =
        OptionalVersionedTextDocumentIdentifier { uri: view.uri.clone(), version: Some(view.version) };
    let edits = edits.into_iter().map(OneOf::Left).collect();
    let changes = DocumentChanges::Edits(vec![TextDocumentEdit { text_document, edits }]);
    WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
}
