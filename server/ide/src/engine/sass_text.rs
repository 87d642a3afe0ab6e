//! A SASS listing and what is known of it as a whole.

use crate::engine::stated::{Given, StatedResources};
use machine::Machine;
use std::ops::Range;
use std::sync::OnceLock;
use syntax::sass::Listing;

/// A listing, with facts about its kernels from elsewhere.
#[derive(Debug)]
pub(crate) struct SassText {
    listing: Listing,
    given: Given,
    /// Computed when first asked for.
    stated: OnceLock<StatedResources>,
}

impl SassText {
    pub(crate) fn parse(text: &str, given: Given) -> Self {
        Self::new(Listing::parse(text), given)
    }

    fn new(listing: Listing, given: Given) -> Self {
        Self { listing, given, stated: OnceLock::new() }
    }

    pub(crate) fn edit(&self, range: Range<usize>, text: &str) -> Self {
        Self::new(self.listing.edit(range, text), self.given.clone())
    }

    /// Returns this text with other facts from elsewhere.
    pub(crate) fn with(&self, given: Given) -> Self {
        Self::new(self.listing.clone(), given)
    }

    pub(crate) fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Returns the resources of the kernels that the text's binary, or the text's own headers, state.
    pub(crate) fn stated(&self, machine: &Machine) -> &StatedResources {
        self.stated.get_or_init(|| StatedResources::of(&self.listing, machine).with(&self.given))
    }
}
