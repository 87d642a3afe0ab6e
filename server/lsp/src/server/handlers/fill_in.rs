//! Placeholders that an edit leaves for the user to fill in: finds the first one and shows it.

use tower_lsp_server::Client;
use tower_lsp_server::ls_types::{
    DocumentChangeOperation, DocumentChanges, Location, OneOf, Position, Range, ShowDocumentParams, Uri,
    WorkspaceEdit,
};

/// Placeholder for a value in a launches file.
const TO_FILL_IN: &str = "\"?\"";

/// Location, after the edit, of the first placeholder in the text that an edit adds. `None` if the text has no
/// placeholder, or if the client does not support versioned edits.
pub(super) fn first_to_fill_in(edit: &WorkspaceEdit) -> Option<Location> {
    let operations = match edit.document_changes.as_ref()? {
        DocumentChanges::Operations(operations) => operations,
        DocumentChanges::Edits(_) => return None,
    };
    let (uri, edit) = operations.iter().find_map(|operation| match operation {
        DocumentChangeOperation::Edit(edit) => Some((&edit.text_document.uri, edit.edits.first()?)),
        DocumentChangeOperation::Op(_) => None,
    })?;
    let OneOf::Left(edit) = edit else { return None };
    let at = edit.new_text.find(TO_FILL_IN)?;
    let before = &edit.new_text[..at];
    let column = |text: &str| text.chars().count() as u32;
    let mut start = edit.range.start;
    match before.rsplit_once('\n') {
        Some((lines, rest)) => {
            start = Position::new(start.line + lines.matches('\n').count() as u32 + 1, column(rest));
        }
        None => start.character += column(before),
    }
    let end = Position::new(start.line, start.character + column(TO_FILL_IN));
    Some(Location::new(uri.clone(), Range::new(start, end)))
}

/// Makes the client show a document and select a range in it. The response is ignored: the edit was made even
/// if the document is not shown.
pub(super) async fn show(client: Client, uri: Uri, selection: Option<Range>) {
    let shown = ShowDocumentParams { uri, external: Some(false), take_focus: Some(true), selection };
    drop(client.show_document(shown).await);
}
