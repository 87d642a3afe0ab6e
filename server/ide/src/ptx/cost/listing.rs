//! All functions of a module as one listing of SASS, for what is asked of whole files.

use super::{Origin, Placed, given};
use crate::document::Document;
use crate::{Analysis, Language};
use model::ptx::lower::Facts;

impl Analysis {
    /// The analysis of the SASS that all functions of a PTX document are estimated to become: what it answers it says of the
    /// document's lines. `None` where the document is not PTX.
    #[must_use]
    pub fn lowered(&self) -> Option<Self> {
        let view = self.ptx()?;
        let placed: Vec<Placed> =
            (0..view.module.items().len()).filter_map(|item| view.placed(item)).collect();
        let mut text = String::new();
        for cost in placed.iter().map(|placed| &placed.cost) {
            if !text.is_empty() {
                text.push('\n');
            }
            for chunk in cost.document.listing().chunks() {
                text.push_str(chunk.text());
            }
        }
        // A module without code has its architecture all the same.
        if text.is_empty() {
            text = format!("\tcode for sm_{}\n", view.target_gpu().isa_sm);
        }
        let given = given(placed.iter().map(|placed| &*placed.cost));
        let document = Document::parse(self.version(), Language::Sass, &text, given);
        Some(view.hidden(document, Origin::new(view.target_gpu(), placed.into_iter())))
    }
}

impl Analysis {
    /// Returns the unknowns of the SASS that a document is estimated to become, a sentence for each function.
    pub fn doubts(&self) -> Vec<String> {
        let chunks = self.kernels().filter_map(|(_, chunk)| self.source(chunk));
        let doubts = chunks.map(|source| (source.name(), source.cost.doubts()));
        doubts
            .filter(|(_, doubts)| !doubts.is_empty())
            .map(|(name, doubts)| format!("`{name}`:{doubts}"))
            .collect()
    }
}

impl super::View<'_> {
    /// Returns the facts about the module that lowering needs.
    pub(super) fn lowering_facts(&self) -> &Facts {
        self.text.lowering_facts()
    }
}
