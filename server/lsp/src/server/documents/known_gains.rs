//! What is known of the gains of a document's code actions.

use ide::{Analysis, TextEdit};
use std::sync::Arc;

/// Edits of one code action.
pub(crate) type Edits = Vec<TextEdit>;

/// Gains of the code actions of a document as it is.
#[derive(Debug)]
pub(crate) struct KnownGains {
    pub(crate) of: Analysis,
    /// In a few words; `None` where the code of an action's text is not known.
    pub(crate) known: Vec<(Edits, Option<Arc<str>>)>,
    pub(crate) under_way: Vec<Edits>,
    /// Distinguishes a row of compilations from the one before.
    pub(crate) round: u64,
}

impl KnownGains {
    pub(crate) fn new(of: Analysis) -> Self {
        Self { of, known: Vec::new(), under_way: Vec::new(), round: 0 }
    }

    /// The gain of an action; `None` where it has not been compiled yet.
    pub(crate) fn find(&self, edits: &Edits) -> Option<&Option<Arc<str>>> {
        self.known.iter().find(|(known, _)| known == edits).map(|(_, words)| words)
    }
}
