//! The questions that an editor asks of a document, in whatever language it is.
//!
//! Each is described at the method of [`crate::Analysis`] of the same name. A language implements those that it has an answer
//! to, in the `mod.rs` of its folder; the answer to all others is here: nothing.

mod costs;
mod editing;
mod navigation;

pub(crate) use costs::Costs;
pub(crate) use editing::Editing;
pub(crate) use navigation::Navigation;

/// A text that is not read, or whose language the settings leave alone.
pub(crate) struct Unread;

impl Costs for Unread {}
impl Editing for Unread {}
impl Navigation for Unread {}
