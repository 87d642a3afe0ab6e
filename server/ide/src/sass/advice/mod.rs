//! The paper's steps as code actions on the text.

mod actions;
mod edit;

pub(crate) use actions::actions;
