//! The features of a SASS listing's text: one file or folder for each.

pub(crate) mod advice;
pub(crate) mod complete;
pub(crate) mod copy;
pub(crate) mod fixes;
pub(crate) mod folds;
pub(crate) mod format;
pub(crate) mod hover;
mod modifiers;
pub(crate) mod navigate;
pub(crate) mod repairs;
pub(crate) mod schedule;
pub(crate) mod semantic;
pub(crate) mod signature;
pub(crate) mod symbols;
mod token_at;
