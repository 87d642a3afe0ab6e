//! All functions of a module as one listing of SASS, for what is asked of whole files.

use crate::Analysis;
use model::launch::Stating;
use model::ptx::lower::Facts;

/// The SASS that ptxas would be expected to make of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoweredListing {
    /// As `cuobjdump -sass` prints it, with control codes.
    pub text: String,
    /// By function.
    pub resources: Vec<(String, Stating)>,
    /// Functions with instructions whose expansion is not known, and how many of these.
    pub unknown: Vec<(String, usize)>,
}

impl Analysis {
    /// The listing that a PTX document is estimated to become. `None` where the document is not PTX.
    pub fn lowered_listing(&self) -> Option<LoweredListing> {
        let view = self.ptx()?;
        let mut listing = LoweredListing { text: String::new(), resources: Vec::new(), unknown: Vec::new() };
        for item in 0..view.module.items().len() {
            let Some(hidden) = view.cost(item) else { continue };
            let Some((chunk, _)) = hidden.chunk() else { continue };
            let name = chunk.name().unwrap_or_default().to_owned();
            if !listing.text.is_empty() {
                listing.text.push('\n');
            }
            for chunk in hidden.analysis.listing().chunks() {
                listing.text.push_str(chunk.text());
            }
            if !hidden.cost.unknown.is_empty() {
                listing.unknown.push((name.clone(), hidden.cost.unknown.len()));
            }
            listing.resources.push((name, hidden.cost.stating));
        }
        Some(listing)
    }
}

impl super::View<'_> {
    /// What lowering needs to know of the module.
    pub(super) fn lowering_facts(&self) -> &Facts {
        self.text.lowering_facts()
    }
}
