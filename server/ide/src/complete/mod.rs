//! Completion: what may stand at a place. What the items mean is said when one is looked at.

mod around;
mod controls;
mod items;
mod pages;
mod registers;
mod site;

use crate::cancel::Answer;
use crate::sass_view::SassView;
use site::Context;
pub(crate) use site::{OperandSite, Site};
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Text that is shown and inserted.
    pub label: String,
    pub kind: CompletionKind,
    /// One line beside it; may be empty.
    pub detail: String,
    /// Text that is inserted instead where stops can be jumped to: `${1:-}` is a stop that holds a dash.
    pub snippet: Option<String>,
}

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

/// Returns the proposals for a place. `None` where nothing is to be proposed: in comments and encodings, behind an
/// instruction, in blocks of another language; and where the setting is off.
pub(crate) fn completions(sass: &SassView, offset: usize) -> Answer<Option<Completions>> {
    sass.cancel.check()?;
    if !sass.context.config.completion {
        return Ok(None);
    }
    let Some(site) = Site::at(sass, offset) else { return Ok(None) };
    let opcode = match &site.context {
        Context::Modifier { opcode, .. } => opcode.clone(),
        _ => String::new(),
    };
    let items = items::of(sass, &site);
    Ok((!items.is_empty()).then_some(Completions { range: site.word, opcode, items }))
}

/// Returns the page of a proposed item, in Markdown; `opcode` is that of a modifier. `None` where there is nothing
/// to say.
pub(crate) fn page(
    sass: &SassView,
    kind: CompletionKind,
    label: &str,
    opcode: &str,
) -> Answer<Option<String>> {
    sass.cancel.check()?;
    Ok(pages::page(sass, kind, label, opcode))
}
