//! One version of a document, in either language.

use crate::lineage::Lineage;
use crate::size::{MOST_ADDED, MOST_BYTES, MOST_TOKENS_OF_A_LINE, TooLarge};
use crate::stated::{Given, StatedResources};
use crate::{Language, TextEdit, ptx};
use machine::Machine;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};
use syntax::sass::Listing;

/// One version of a document.
#[derive(Debug)]
pub(crate) struct Document {
    pub version: i32,
    tree: Tree,
    /// Bytes that edits have added since the whole text was looked at.
    added: usize,
    given: Given,
    /// Computed when first asked for.
    stated: OnceLock<StatedResources>,
    lineage: Arc<Lineage>,
}

/// A text as its parser read it.
#[derive(Debug, Clone)]
enum Tree {
    Sass(Listing),
    Ptx(ptx::Text),
    /// Not read.
    Plain(TooLarge),
}

impl Tree {
    fn edit(&self, range: Range<usize>, text: &str) -> Self {
        match self {
            Self::Sass(listing) => Self::Sass(listing.edit(range, text)),
            Self::Ptx(module) => Self::Ptx(module.edit(range, text)),
            Self::Plain(why) => Self::Plain(*why),
        }
    }
}

impl Document {
    pub(crate) fn parse(version: i32, language: Language, text: &str, given: Given) -> Arc<Self> {
        let tree = match (TooLarge::of(text), language) {
            (Some(why), _) => Tree::Plain(why),
            (None, Language::Sass) => Tree::Sass(Listing::parse(text)),
            (None, Language::Ptx) => Tree::Ptx(ptx::Text::parse(text)),
        };
        Self::new(version, tree, 0, given, Arc::default())
    }

    fn new(version: i32, tree: Tree, added: usize, given: Given, lineage: Arc<Lineage>) -> Arc<Self> {
        Arc::new(Self { version, tree, added, given, stated: OnceLock::new(), lineage })
    }

    /// This version alone, without what is known of earlier ones.
    pub(crate) fn detached(&self) -> Arc<Self> {
        Self::new(self.version, self.tree.clone(), self.added, self.given.clone(), Arc::default())
    }

    /// The versions before this one, as far as their figures are known.
    pub(crate) fn lineage(&self) -> &Lineage {
        &self.lineage
    }

    /// This document after edits in order, each to the text that the one before left. It stays in its language.
    pub(crate) fn edited(&self, version: i32, edits: &[TextEdit]) -> Arc<Self> {
        let mut tree = self.tree.clone();
        for edit in edits {
            tree = tree.edit(edit.range.clone(), &edit.text);
        }
        let lineage = Arc::clone(&self.lineage);
        Self::new(version, tree, self.added + added(edits), self.given.clone(), lineage)
    }

    /// Whether only the whole text tells what edits make of it: it is not read, or it may become too large.
    pub(crate) fn needs_text(&self, edits: &[TextEdit]) -> bool {
        let length = match &self.tree {
            Tree::Sass(listing) => listing.len(),
            Tree::Ptx(text) => text.module().len(),
            Tree::Plain(_) => return true,
        };
        let (length, added) = (length + added(edits), self.added + added(edits));
        length > MOST_BYTES || length > MOST_TOKENS_OF_A_LINE && added > MOST_ADDED
    }

    /// Why the text is not read; `None` where it is.
    pub(crate) fn too_large(&self) -> Option<TooLarge> {
        match self.tree {
            Tree::Plain(why) => Some(why),
            Tree::Sass(_) | Tree::Ptx(_) => None,
        }
    }

    /// This document with other facts from elsewhere.
    pub(crate) fn with(&self, given: Given) -> Arc<Self> {
        Self::new(self.version, self.tree.clone(), self.added, given, Arc::clone(&self.lineage))
    }

    pub(crate) fn language(&self) -> Language {
        match self.tree {
            Tree::Sass(_) | Tree::Plain(_) => Language::Sass,
            Tree::Ptx(_) => Language::Ptx,
        }
    }

    /// The listing; an empty one where the text is PTX, so that whatever is asked of SASS alone has an empty answer there.
    pub(crate) fn listing(&self) -> &Listing {
        static EMPTY: LazyLock<Listing> = LazyLock::new(|| Listing::parse(""));
        match &self.tree {
            Tree::Sass(listing) => listing,
            Tree::Ptx(_) | Tree::Plain(_) => &EMPTY,
        }
    }

    /// The text where it is PTX.
    pub(crate) fn ptx(&self) -> Option<&ptx::Text> {
        match &self.tree {
            Tree::Sass(_) | Tree::Plain(_) => None,
            Tree::Ptx(text) => Some(text),
        }
    }

    /// Returns the resources of the kernels that the text's binary, or the text's own headers, state.
    pub(crate) fn stated(&self, machine: &Machine) -> &StatedResources {
        self.stated.get_or_init(|| StatedResources::of(self.listing(), machine).with(&self.given))
    }
}

/// Bytes that edits put in.
fn added(edits: &[TextEdit]) -> usize {
    edits.iter().map(|edit| edit.text.len()).sum()
}
