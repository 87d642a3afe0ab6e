//! Optimisation steps of the ICS'17 paper (Zhou et al.) as code actions.

mod actions;
mod edit;

pub(crate) use actions::actions;
