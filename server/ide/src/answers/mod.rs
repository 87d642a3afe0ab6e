//! Answers to editor requests. Each feature has a file that merges the contributions to its answer.

mod contributors;
pub(crate) mod findings;
pub(crate) mod fixes;
pub(crate) mod gpus;
pub(crate) mod heat;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod lenses;
pub(crate) mod snapshot;
mod source_facts;
