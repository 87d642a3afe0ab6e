//! The values that a launch must state before its cycles are a single figure.

use serde::Serialize;

/// The unknown values that a launch's cycles depend on. Both lists are empty if the cycles depend on memory alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ToState {
    /// Parameters by their names in the source, or as `arg2` by position; words of the constant bank as listings print
    /// them.
    pub parameters: Vec<String>,
    /// Loops whose iterations do not depend on a parameter, as keys of a launch's `trips`.
    pub trips: Vec<String>,
}
