//! Steps of the ICS'17 paper as code actions.

mod actions;
mod edit;

pub(crate) use actions::actions;
