//! One open document: its text, its version, the work under way on it and what was last published.

use super::position::{Encoding, Places};
use ide::{Cancel, TextEdit};
use ropey::Rope;
use std::sync::Arc;
use tokio::sync::watch;
use tower_lsp_server::ls_types::{Diagnostic, SemanticToken, TextDocumentContentChangeEvent};

#[derive(Debug)]
pub(crate) struct Document {
    /// Tells a document from an earlier one of the same name that was closed.
    pub(crate) opening: u64,
    pub(crate) version: i32,
    pub(crate) text: Rope,
    /// Its analysis has panicked; nothing more is asked until the text changes.
    pub(crate) poisoned: bool,
    /// The tokens of work under way, by ticket.
    pub(crate) work: Vec<(u64, Cancel)>,
    /// `None` until something was published.
    pub(crate) published: Option<Vec<Diagnostic>>,
    /// The last full list of tokens that was sent, with its name, where the client takes edits of it.
    pub(crate) tokens: Option<(String, Arc<[SemanticToken]>)>,
    /// Wakes the task that publishes; closed with the document.
    pub(crate) changed: watch::Sender<()>,
}

/// What a change did to the text.
pub(crate) enum Change {
    Edits(Vec<TextEdit>),
    /// The whole text is another.
    Replaced,
}

impl Document {
    /// Stops all work on the version that is over.
    pub(crate) fn overtake(&mut self) {
        for (_, cancel) in self.work.drain(..) {
            cancel.cancel();
        }
    }

    /// Applies changes in order, each to the text that the one before left.
    pub(crate) fn apply(
        &mut self,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Change {
        apply(&mut self.text, changes, encoding)
    }
}

/// Applies changes in order, each to the text that the one before left.
pub(crate) fn apply(
    text: &mut Rope,
    changes: Vec<TextDocumentContentChangeEvent>,
    encoding: Encoding,
) -> Change {
    let mut edits = Vec::with_capacity(changes.len());
    let mut replaced = false;
    for change in changes {
        let Some(range) = change.range else {
            *text = Rope::from_str(&change.text);
            replaced = true;
            continue;
        };
        let bytes = Places::new(text, encoding).bytes(range);
        let start = text.byte_to_char(bytes.start);
        text.remove(start..text.byte_to_char(bytes.end));
        text.insert(start, &change.text);
        edits.push(TextEdit { range: bytes, text: change.text });
    }
    if replaced { Change::Replaced } else { Change::Edits(edits) }
}
