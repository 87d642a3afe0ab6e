//! All functions of a module as one listing of SASS, for what is asked of whole files.

use super::lowered::given;
use super::origin::{Origin, Placed};
use crate::ptx::view::View;
use crate::sass_text::SassText;
use crate::sass_view::SassView;
use std::sync::Arc;

/// Returns the SASS that all functions of a module are estimated to become: what is answered of it is said of the module's
/// lines.
pub(crate) fn lowered(view: &View<'_>) -> SassView {
    let placed: Vec<Placed> = (0..view.module.items().len()).filter_map(|item| view.placed(item)).collect();
    let mut text = String::new();
    for cost in placed.iter().map(|placed| &placed.cost) {
        if !text.is_empty() {
            text.push('\n');
        }
        for chunk in cost.text.listing().chunks() {
            text.push_str(chunk.text());
        }
    }
    // A module without code has its architecture all the same.
    if text.is_empty() {
        text = format!("\tcode for sm_{}\n", view.target_gpu().isa_sm);
    }
    let given = given(placed.iter().map(|placed| &*placed.cost));
    let text = Arc::new(SassText::parse(&text, given));
    view.hidden(text, Origin::new(view.target_gpu(), placed.into_iter()))
}

/// Returns the unknowns of the SASS that a module is estimated to become, a sentence for each function.
pub(crate) fn doubts(sass: &SassView) -> Vec<String> {
    let chunks = sass.kernels().filter_map(|(_, chunk)| sass.source(chunk));
    let doubts = chunks.map(|source| (source.name(), source.cost.doubts()));
    doubts
        .filter(|(_, doubts)| !doubts.is_empty())
        .map(|(name, doubts)| format!("`{name}`:{doubts}"))
        .collect()
}
