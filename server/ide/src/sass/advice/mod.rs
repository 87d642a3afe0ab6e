//! The steps of the ICS'17 paper as code actions on the text.

mod actions;
mod edit;

pub(crate) use actions::actions;
