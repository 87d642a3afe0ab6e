//! Proposals, as clients get them.

use std::ops::Range;

/// Proposals for a place, the likeliest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completions {
    /// The word that an item replaces; empty where none has begun.
    pub range: Range<usize>,
    /// The opcode that the modifiers among the items are for; empty for other items.
    pub opcode: String,
    pub items: Vec<Completion>,
}

/// A text that is proposed at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Text that is shown and inserted.
    pub label: String,
    pub kind: CompletionKind,
    /// One line beside it; may be empty.
    pub detail: String,
    /// Text that is inserted instead where stops can be jumped to: `${1:-}` is a stop that holds a dash.
    pub snippet: Option<String>,
    /// Text that what is typed is compared with; `None` where that is the label.
    pub filter: Option<String>,
}

impl Completion {
    pub(crate) fn new(label: &str, kind: CompletionKind, detail: &str) -> Self {
        Self { label: label.to_owned(), kind, detail: detail.to_owned(), snippet: None, filter: None }
    }
}

/// Kind of a proposed text; clients choose its icon by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CompletionKind {
    Opcode,
    Modifier,
    SpecialRegister,
    Register,
    /// A name that the assembler maps to a register or a constant.
    Name,
    Label,
    ControlCode,
    /// A word with a dot that is no modifier: `.reg`.
    Directive,
    /// The type of a declaration.
    Type,
    Function,
    /// A name with an address: a parameter or a variable.
    Variable,
    /// Several lines to be filled in.
    Snippet,
}
