//! Completion: what may stand at a place. What the items mean is said when one is looked at.

mod around;
mod controls;
mod items;
mod pages;
mod proposal;
mod registers;
mod scope;
mod site;

use crate::engine::cancel::Answer;
use crate::engine::sass_view::SassView;
pub use proposal::{Completion, CompletionKind, Completions};
use site::Context;
pub(crate) use site::{OperandSite, Site};

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
