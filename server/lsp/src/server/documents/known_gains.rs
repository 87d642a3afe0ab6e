//! The known gains of a document's code actions.

use ide::{Analysis, TextEdit};
use std::sync::Arc;

/// Edits of one code action.
pub(crate) type Edits = Vec<TextEdit>;

/// Gains of the code actions of a document at its current version.
#[derive(Debug)]
pub(crate) struct KnownGains {
    pub(crate) of: Analysis,
    /// Each compiled action's edits, and its gain in a few words; `None` if the edited text could not be compiled.
    pub(crate) known: Vec<(Edits, Option<Arc<str>>)>,
    pub(crate) under_way: Vec<Edits>,
    /// Number of the current round of compilations. A round stops when this field no longer has the round's number.
    pub(crate) round: u64,
}

impl KnownGains {
    pub(crate) fn new(of: Analysis) -> Self {
        Self { of, known: Vec::new(), under_way: Vec::new(), round: 0 }
    }

    /// The gain of an action; `None` if the action has not been compiled yet, and `Some(None)` if its edited text could
    /// not be compiled.
    pub(crate) fn find(&self, edits: &Edits) -> Option<&Option<Arc<str>>> {
        self.known.iter().find(|(known, _)| known == edits).map(|(_, words)| words)
    }
}
