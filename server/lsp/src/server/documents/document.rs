//! One open document: its text, its version and what was last published.

use crate::server::documents::build_version::Version;
use crate::server::documents::compiler_messages::CompilerMessages;
use crate::server::documents::known_gains::KnownGains;
use crate::server::documents::known_tunings::KnownTunings;
use crate::server::documents::typing::TypingEdit;
use crate::server::transport::position::{Encoding, PositionConverter};
use ide::{Analysis, TextEdit};
use ropey::Rope;
use std::sync::Arc;
use tokio::sync::watch;
use toolchain::ToolError;
use tower_lsp_server::ls_types::{Diagnostic, SemanticToken, TextDocumentContentChangeEvent};

#[derive(Debug, Default)]
pub(crate) struct Document {
    /// Number that distinguishes this document from an earlier, closed document of the same name.
    pub(crate) opening: u64,
    pub(crate) version: i32,
    /// The client's name for the document's language.
    pub(crate) language_id: String,
    pub(crate) text: Rope,
    /// True if the document's analysis has panicked. The analysis is not queried until the text changes.
    pub(crate) poisoned: bool,
    /// True if the client was notified that the text is too large to be read.
    pub(crate) reported_too_large: bool,
    /// The version whose final hints are being computed while preliminary hints are shown; `None` otherwise.
    pub(crate) finishing: Option<i32>,
    /// Findings that were last published; `None` before the first publication.
    pub(crate) published: Option<Vec<Diagnostic>>,
    /// The analysis whose code was pinned for comparison.
    pub(crate) pinned: Option<Analysis>,
    /// Gains of code actions, for the text at the time of the request.
    pub(crate) gains: Option<KnownGains>,
    /// Compiled and predicted variants of the document's kernels, for the text at the time of the request.
    pub(crate) tunings: Option<KnownTunings>,
    /// Messages of compilers about the text.
    pub(crate) compiled: CompilerMessages,
    /// The text and build for which a compiler last exceeded its time limit, and the error.
    pub(crate) too_long: Option<(Version, ToolError)>,
    /// Number of the last read of the document's code from the cubins of builds; 0 before the first read.
    pub(crate) attaching: u64,
    /// The reason why no compiler could run on the text; `None` if the last compiler ran.
    pub(crate) no_compiler: Option<ToolError>,
    /// The last full list of semantic tokens that was sent, with its result identifier; kept only if the client accepts
    /// changes to the list.
    pub(crate) tokens: Option<(String, Arc<[SemanticToken]>)>,
    /// The last edit, if it looks like typing.
    pub(crate) typed: Option<TypingEdit>,
    /// Wakes the task that publishes findings; closes with the document.
    pub(crate) changed: watch::Sender<()>,
}

/// Effect of a change on the text.
pub(crate) enum Change {
    Edits(Vec<TextEdit>),
    /// The whole text was replaced.
    Replaced,
}

impl Document {
    /// The text's first `bytes` bytes, or up to three fewer so that no character is split.
    pub(crate) fn head(&self, bytes: usize) -> std::borrow::Cow<'_, str> {
        let end = self.text.byte_to_char(bytes.min(self.text.len_bytes()));
        self.text.slice(..end).into()
    }

    /// Returns the messages of compilers about the text that are still valid.
    pub(crate) fn compiler_findings(&self, encoding: Encoding) -> Vec<Diagnostic> {
        self.compiled.diagnostics(PositionConverter::new(&self.text, encoding))
    }

    /// Applies changes in order, each to the result of the previous change.
    pub(crate) fn apply(
        &mut self,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Change {
        let (compiled, typed) = (&mut self.compiled, &mut self.typed);
        let change = apply(&mut self.text, changes, encoding, |before, edit| {
            compiled.edited(before, edit);
            *typed = TypingEdit::new(before.byte_to_line(edit.range.start), &edit.text);
        });
        if matches!(change, Change::Replaced) {
            compiled.replaced();
            self.typed = None;
        }
        change
    }
}

/// Applies changes in order, each to the result of the previous change. Reports each edit before applying it.
pub(crate) fn apply(
    text: &mut Rope,
    changes: Vec<TextDocumentContentChangeEvent>,
    encoding: Encoding,
    mut report: impl FnMut(&Rope, &TextEdit),
) -> Change {
    let mut edits = Vec::with_capacity(changes.len());
    let mut replaced = false;
    for change in changes {
        let Some(range) = change.range else {
            *text = Rope::from_str(&change.text);
            replaced = true;
            continue;
        };
        let bytes = PositionConverter::new(text, encoding).bytes(range);
        let edit = TextEdit { range: bytes, text: change.text };
        report(text, &edit);
        let start = text.byte_to_char(edit.range.start);
        text.remove(start..text.byte_to_char(edit.range.end));
        text.insert(start, &edit.text);
        edits.push(edit);
    }
    if replaced { Change::Replaced } else { Change::Edits(edits) }
}
