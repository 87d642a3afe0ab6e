//! All functions of a module as one SASS listing, for queries about entire files.

use crate::engine::lowered::{Cost, given};
use crate::engine::origin::{LoweredFunction, Origin};
use crate::engine::sass_text::SassText;
use crate::engine::sass_view::SassView;
use crate::ptx::view::View;
use std::sync::Arc;
use syntax::sass::Chunk;

/// The SASS expected for all functions of a module. Answers about the listing refer to PTX lines.
pub(crate) fn lowered(view: &View<'_>) -> SassView {
    let placed: Vec<LoweredFunction> =
        (0..view.module.items().len()).filter_map(|item| view.placed(item)).collect();
    let given = given(placed.iter().map(|placed| &*placed.cost));
    let decoded =
        |chunk: &Arc<Chunk>, cost: &Cost| Some((Arc::clone(chunk), Arc::clone(cost.text.program(chunk)?)));
    let mut chunks = placed
        .iter()
        .flat_map(|placed| {
            placed.cost.text.listing().chunks().iter().filter_map(|chunk| decoded(chunk, &placed.cost))
        })
        .peekable();
    let text = if chunks.peek().is_some() {
        SassText::decoded(chunks, given)
    } else {
        // A module without code still has an architecture.
        SassText::parse(&format!("\tcode for sm_{}\n", view.target_gpu().isa_sm), given)
    };
    let text = Arc::new(text);
    view.hidden(text, Origin::new(view.target_gpu(), placed.into_iter()))
}
