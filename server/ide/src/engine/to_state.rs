//! The values that have to be stated of a launch before its cycles are one figure.

use serde::Serialize;

/// The unknown values that a launch's cycles depend on. Empty lists: memory alone decides.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ToState {
    /// Parameters by their names in the source, or `arg2` by their position; words of the constant bank as listings have them.
    pub parameters: Vec<String>,
    /// Loops whose trips no parameter decides, as keys of a launch's `trips`.
    pub trips: Vec<String>,
}
