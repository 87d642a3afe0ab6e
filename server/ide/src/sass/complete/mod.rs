//! Completion in SASS. The documentation of an item is resolved when the user selects the item.

mod controls;
mod items;
mod pages;
mod register_states;
mod registers;
mod scope;
mod site;
mod skeletons;

use crate::Completions;
use crate::engine::sass_view::SassView;
pub(crate) use pages::page;
use site::SiteKind;
pub(crate) use site::{OperandSite, Site};

/// Returns the completions at an offset. `None` if nothing can be proposed, for example in comments and
/// encodings, after an instruction, or in inline code.
pub(crate) fn completions(sass: &SassView, offset: usize) -> Option<Completions> {
    if sass.listing().chunks().is_empty() {
        let items = skeletons::kernels(sass);
        return Some(Completions { range: 0..0, opcode: String::new(), items });
    }
    let site = Site::at(sass, offset)?;
    let opcode = match &site.context {
        SiteKind::Modifier { opcode, .. } => opcode.clone(),
        _ => String::new(),
    };
    let items = items::proposals(sass, &site);
    (!items.is_empty()).then_some(Completions { range: site.word, opcode, items })
}
