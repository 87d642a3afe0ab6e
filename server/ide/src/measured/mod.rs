//! Measurements of attached profiles, mapped to the code that was measured.

mod before;
pub(crate) mod change;
pub(crate) mod findings;
pub(crate) mod fixes;
pub(crate) mod heat;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod kernel;
pub(crate) mod kernel_comparison;
mod large_deviations;
pub(crate) mod lenses;
pub(crate) mod lines;
pub(crate) mod tally;
pub(crate) mod trees;
pub(crate) mod view;

#[cfg(test)]
mod tests;
