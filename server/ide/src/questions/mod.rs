//! An editor's queries on a document, for any language.
//!
//! Each is documented at the method of [`crate::Analysis`] of the same name. A language implements the queries that it
//! can answer, in the `mod.rs` of its folder. The default answers here are empty.

mod costs;
mod editing;
mod navigation;

pub(crate) use costs::Costs;
pub(crate) use editing::Editing;
pub(crate) use navigation::Navigation;

/// A document that is not parsed, or whose language the settings exclude.
pub(crate) struct Unread;

impl Costs for Unread {}
impl Editing for Unread {}
impl Navigation for Unread {}
