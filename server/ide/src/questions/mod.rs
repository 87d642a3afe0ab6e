//! An editor's queries on a document, for any language.
//!
//! Each query is documented at the [`crate::Analysis`] method of the same name. Each language
//! implements the queries that it supports in the `mod.rs` of its folder. The default answers here are
//! empty.

mod costs;
mod editing;
mod navigation;

pub(crate) use costs::Costs;
pub(crate) use editing::Editing;
pub(crate) use navigation::Navigation;

/// A document that is not parsed, or whose language is excluded in the settings.
pub(crate) struct UnreadDocument;

impl Costs for UnreadDocument {}
impl Editing for UnreadDocument {}
impl Navigation for UnreadDocument {}
