//! Values that the user must state for a launch before its cycle prediction is a single figure.

use serde::Serialize;

/// Unknown values that a launch's cycles depend on. Both lists are empty if the cycles depend only on the contents of
/// memory.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct UnstatedInputs {
    /// Parameters by name in the source, or `arg2` by position. Other constant-bank words are spelled as in
    /// listings.
    pub parameters: Vec<String>,
    /// Loops whose trip count does not depend on a parameter, as keys of a launch's `trips`.
    pub trips: Vec<String>,
}
