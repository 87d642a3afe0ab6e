//! The places that navigation leads to.

use std::ops::Range;

/// Place of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// All of it: the instruction, the line.
    pub range: Range<usize>,
    /// Range of the token that names it.
    pub selection: Range<usize>,
}

/// A place that speaks of the same thing as another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub range: Range<usize>,
    pub usage: Usage,
}

/// Use that a place makes of the thing that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Usage {
    /// Reads a register, waits for a scoreboard.
    Read,
    /// Writes a register, sets a scoreboard, defines a label.
    Write,
    /// Names it.
    Text,
}
