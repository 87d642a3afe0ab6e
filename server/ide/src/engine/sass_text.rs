//! A SASS listing and the facts about it as a whole.

use crate::TextEdit;
use crate::engine::stated::{Given, StatedResources};
use machine::Machine;
use model::Program;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use syntax::sass::{Chunk, Listing};

/// A listing, with given facts about its kernels.
#[derive(Debug)]
pub(crate) struct SassText {
    listing: Listing,
    given: Given,
    /// Programs of chunks that were decoded when the text was made, by the chunk's hash.
    programs: FxHashMap<u64, Arc<Program>>,
    /// Computed on first use.
    stated: OnceLock<StatedResources>,
}

impl SassText {
    pub(crate) fn parse(text: &str, given: Given) -> Self {
        Self::new(Listing::parse(text), given)
    }

    fn new(listing: Listing, given: Given) -> Self {
        Self { listing, given, programs: FxHashMap::default(), stated: OnceLock::new() }
    }

    /// Creates a text of chunks that are decoded already.
    pub(crate) fn decoded(
        chunks: impl IntoIterator<Item = (Arc<Chunk>, Arc<Program>)>,
        given: Given,
    ) -> Self {
        let mut programs = FxHashMap::default();
        let chunks = chunks.into_iter().map(|(chunk, program)| {
            programs.insert(chunk.hash(), program);
            chunk
        });
        let listing = Listing::of_chunks(chunks.collect());
        Self { programs, ..Self::new(listing, given) }
    }

    /// Returns the program of a chunk that was decoded when the text was made.
    pub(crate) fn program(&self, chunk: &Chunk) -> Option<&Arc<Program>> {
        self.programs.get(&chunk.hash())
    }

    pub(crate) fn edit(&self, range: Range<usize>, text: &str) -> Self {
        Self::new(self.listing.edit(range, text), self.given.clone())
    }

    /// Returns this text with other given facts.
    pub(crate) fn with(&self, given: Given) -> Self {
        Self { programs: self.programs.clone(), ..Self::new(self.listing.clone(), given) }
    }

    /// Returns the given facts: those that come from outside the listing.
    pub(crate) fn given(&self) -> &Given {
        &self.given
    }

    pub(crate) fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Returns the resources of the kernels as stated by the text's binary, else by its own headers.
    pub(crate) fn stated(&self, machine: &Machine) -> &StatedResources {
        self.stated.get_or_init(|| StatedResources::collect(&self.listing, machine).with(&self.given))
    }
}

/// Returns the listing with the text of one chunk replaced.
pub(crate) fn with_chunk(listing: &Listing, index: usize, text: &str) -> Listing {
    let start = listing.start(index).byte as usize;
    listing.edit(start..start + listing.chunks()[index].text().len(), text)
}

/// Returns the listing with edits applied, which are in text order.
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
