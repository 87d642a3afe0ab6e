//! A SASS listing and the facts that depend on the whole listing.

use crate::TextEdit;
use crate::engine::stated::{ExternalFacts, StatedResources};
use machine::Machine;
use model::Program;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use syntax::sass::{Chunk, Listing};

/// A parsed listing, and facts about its kernels that come from other sources.
#[derive(Debug)]
pub(crate) struct SassText {
    listing: Listing,
    given: ExternalFacts,
    /// Programs of the chunks that [`Self::decoded`] was called with, by the chunk's hash.
    programs: FxHashMap<u64, Arc<Program>>,
    /// Resources of the kernels. Computed on first use.
    stated: OnceLock<StatedResources>,
}

impl SassText {
    pub(crate) fn parse(text: &str, given: ExternalFacts) -> Self {
        Self::new(Listing::parse(text), given)
    }

    fn new(listing: Listing, given: ExternalFacts) -> Self {
        Self { listing, given, programs: FxHashMap::default(), stated: OnceLock::new() }
    }

    /// Creates a listing from chunks that are already decoded.
    pub(crate) fn decoded(
        chunks: impl IntoIterator<Item = (Arc<Chunk>, Arc<Program>)>,
        given: ExternalFacts,
    ) -> Self {
        let mut programs = FxHashMap::default();
        let chunks = chunks.into_iter().map(|(chunk, program)| {
            programs.insert(chunk.hash(), program);
            chunk
        });
        let listing = Listing::of_chunks(chunks.collect());
        Self { programs, ..Self::new(listing, given) }
    }

    /// Returns the program of a chunk that [`Self::decoded`] was called with. `None` for any other chunk.
    pub(crate) fn program(&self, chunk: &Chunk) -> Option<&Arc<Program>> {
        self.programs.get(&chunk.hash())
    }

    pub(crate) fn edit(&self, range: Range<usize>, text: &str) -> Self {
        Self::new(self.listing.edit(range, text), self.given.clone())
    }

    /// Returns this listing with `given` as the facts about its kernels from other sources.
    pub(crate) fn with(&self, given: ExternalFacts) -> Self {
        Self { programs: self.programs.clone(), ..Self::new(self.listing.clone(), given) }
    }

    /// Returns the facts about the kernels that come from sources other than the listing.
    pub(crate) fn given(&self) -> &ExternalFacts {
        &self.given
    }

    pub(crate) fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Returns the resources of the kernels. Resources from the binary take precedence over the listing's
    /// headers.
    pub(crate) fn stated(&self, machine: &Machine) -> &StatedResources {
        self.stated.get_or_init(|| StatedResources::collect(&self.listing, machine).with(&self.given))
    }
}

/// Returns the listing with the text of a single chunk replaced.
pub(crate) fn with_chunk(listing: &Listing, index: usize, text: &str) -> Listing {
    let start = listing.start(index).byte as usize;
    listing.edit(start..start + listing.chunks()[index].text().len(), text)
}

/// Returns the listing with edits applied. The edits must be in text order and must not overlap.
pub(crate) fn with_edits(listing: &Listing, edits: &[TextEdit]) -> Listing {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return listing.clone() };
    let text = listing.text();
    let mut replaced = String::new();
    let mut at = first.range.start;
    for edit in edits {
        replaced.push_str(&text[at..edit.range.start]);
        replaced.push_str(&edit.text);
        at = edit.range.end;
    }
    listing.edit(first.range.start..last.range.end, &replaced)
}
