//! Measurements of attached profiles, mapped to the code that was measured.

pub(crate) mod against;
mod before;
pub(crate) mod change;
mod far_off;
pub(crate) mod findings;
pub(crate) mod fixes;
pub(crate) mod heat;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod kernel;
pub(crate) mod lenses;
pub(crate) mod lines;
pub(crate) mod tally;
pub(crate) mod trees;
pub(crate) mod view;

#[cfg(test)]
mod tests;
