//! All functions of a module as one listing of SASS, for what is asked of whole files.

use crate::engine::lowered::given;
use crate::engine::origin::{Origin, Placed};
use crate::engine::sass_text::SassText;
use crate::engine::sass_view::SassView;
use crate::ptx::view::View;
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
