//! Answers to an editor's requests: one file per feature, which merges the contributions to it.

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
