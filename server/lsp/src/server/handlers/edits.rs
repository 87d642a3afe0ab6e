//! Converts edits to the protocol's form.

use crate::server::documents::work::View;
use crate::server::transport::client_features::ClientFeatures;
use crate::server::transport::position::PositionConverter;
use crate::server::workspace::launch_text::LaunchText;
use ropey::Rope;
use std::collections::HashMap;
use tower_lsp_server::ls_types::{
    AnnotatedTextEdit, ChangeAnnotation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

pub(super) fn text_edits(view: &View, edits: Vec<ide::TextEdit>) -> Vec<TextEdit> {
    converted(view.places(), edits)
}

/// Maximum number of edits in an answer. Each takes about a kilobyte until it is sent.
const MAX_EDITS: usize = 20_000; // limit: 20 MB of edits

/// Converts the edits that format a text, which are in text order. Merges neighbouring edits if there are
/// more than [`MAX_EDITS`].
pub(super) fn format_edits(view: &View, edits: Vec<ide::TextEdit>) -> Vec<TextEdit> {
    let edits = joined(&view.text, &edits).unwrap_or(edits);
    text_edits(view, edits)
}

/// Merges neighbouring edits, with the text between them, down to [`MAX_EDITS`]; `None` if there are at most
/// that many edits.
fn joined(text: &Rope, edits: &[ide::TextEdit]) -> Option<Vec<ide::TextEdit>> {
    if edits.len() <= MAX_EDITS {
        return None;
    }
    let join = |some: &[ide::TextEdit]| {
        let start = some.first()?.range.start;
        let (mut new, mut at) = (String::new(), start);
        for edit in some {
            new.extend(text.get_byte_slice(at..edit.range.start)?.chunks());
            new.push_str(&edit.text);
            at = edit.range.end;
        }
        Some(ide::TextEdit { range: start..at, text: new })
    };
    edits.chunks(edits.len().div_ceil(MAX_EDITS)).map(join).collect()
}

fn converted(mut places: PositionConverter<'_>, edits: Vec<ide::TextEdit>) -> Vec<TextEdit> {
    edits.into_iter().map(|edit| TextEdit { range: places.range(&edit.range), new_text: edit.text }).collect()
}

/// An edit of the document. If the client supports versioned edits, the edit is bound to the version from which it
/// was computed.
pub(super) fn workspace_edit(view: &View, edits: Vec<ide::TextEdit>) -> WorkspaceEdit {
    edit_of(&view.uri, view.version, &view.features, text_edits(view, edits))
}

/// Like [`workspace_edit`], but for a launches file.
pub(super) fn launch_file_edit(file: &LaunchText, edits: Vec<ide::TextEdit>) -> WorkspaceEdit {
    edit_of(&file.uri, file.version, &file.features, converted(file.places(), edits))
}

fn edit_of(uri: &Uri, version: i32, features: &ClientFeatures, edits: Vec<TextEdit>) -> WorkspaceEdit {
    if !features.versioned_edits {
        let changes = HashMap::from([(uri.clone(), edits)]);
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let text_document = OptionalVersionedTextDocumentIdentifier { uri: uri.clone(), version: Some(version) };
    let edits = edits.into_iter().map(OneOf::Left).collect();
    let changes = DocumentChanges::Edits(vec![TextDocumentEdit { text_document, edits }]);
    WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
}

/// An edit whose preview describes it and its assumptions, if the client supports previews. The edit needs no
/// confirmation.
pub(super) fn described_edit(
    view: &View,
    edits: Vec<ide::TextEdit>,
    title: &str,
    explanation: &str,
) -> WorkspaceEdit {
    const ID: &str = "warplens";
    let mut edit = workspace_edit(view, edits);
    let Some(DocumentChanges::Edits(documents)) = &mut edit.document_changes else { return edit };
    if !view.features.described_edits || explanation.is_empty() {
        return edit;
    }
    for own in documents.iter_mut().flat_map(|document| &mut document.edits) {
        if let OneOf::Left(text_edit) = own {
            let text_edit = text_edit.clone();
            *own = OneOf::Right(AnnotatedTextEdit { text_edit, annotation_id: ID.to_owned() });
        }
    }
    let annotation = ChangeAnnotation {
        label: title.to_owned(),
        needs_confirmation: Some(false),
        description: Some(explanation.to_owned()),
    };
    edit.change_annotations = Some(HashMap::from([(ID.to_owned(), annotation)]));
    edit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_many_edits_are_put_together() {
        let before = "a b\n".repeat(50_000);
        let edit = |at: usize| ide::TextEdit { range: at * 4 + 1..at * 4 + 2, text: "\t".to_owned() };
        let edits: Vec<ide::TextEdit> = (0..50_000).map(edit).collect();
        let rope = Rope::from_str(&before);
        let joined = joined(&rope, &edits).unwrap();
        assert!(joined.len() <= MAX_EDITS, "{}", joined.len());
        let mut after = before.clone();
        for edit in joined.iter().rev() {
            after.replace_range(edit.range.clone(), &edit.text);
        }
        assert_eq!(after, "a\tb\n".repeat(50_000));
        assert!(super::joined(&rope, &edits[..100]).is_none());
    }
}
