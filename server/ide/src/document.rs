//! One version of a document, in either language.

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
    given: Given,
    /// Computed when first asked for.
    stated: OnceLock<StatedResources>,
}

/// A text as its parser read it.
#[derive(Debug, Clone)]
enum Tree {
    Sass(Listing),
    Ptx(ptx::Text),
}

impl Tree {
    fn edit(&self, range: Range<usize>, text: &str) -> Self {
        match self {
            Self::Sass(listing) => Self::Sass(listing.edit(range, text)),
            Self::Ptx(module) => Self::Ptx(module.edit(range, text)),
        }
    }
}

impl Document {
    pub(crate) fn parse(version: i32, language: Language, text: &str, given: Given) -> Arc<Self> {
        let tree = match language {
            Language::Sass => Tree::Sass(Listing::parse(text)),
            Language::Ptx => Tree::Ptx(ptx::Text::parse(text)),
        };
        Self::new(version, tree, given)
    }

    fn new(version: i32, tree: Tree, given: Given) -> Arc<Self> {
        Arc::new(Self { version, tree, given, stated: OnceLock::new() })
    }

    /// This document after edits in order, each to the text that the one before left. It stays in its language.
    pub(crate) fn edited(&self, version: i32, edits: &[TextEdit]) -> Arc<Self> {
        let mut tree = self.tree.clone();
        for edit in edits {
            tree = tree.edit(edit.range.clone(), &edit.text);
        }
        Self::new(version, tree, self.given.clone())
    }

    /// This document with other facts from elsewhere.
    pub(crate) fn with(&self, given: Given) -> Arc<Self> {
        Self::new(self.version, self.tree.clone(), given)
    }

    pub(crate) fn language(&self) -> Language {
        match self.tree {
            Tree::Sass(_) => Language::Sass,
            Tree::Ptx(_) => Language::Ptx,
        }
    }

    /// The listing; an empty one where the text is PTX, so that whatever is asked of SASS alone has an empty answer there.
    pub(crate) fn listing(&self) -> &Listing {
        static EMPTY: LazyLock<Listing> = LazyLock::new(|| Listing::parse(""));
        match &self.tree {
            Tree::Sass(listing) => listing,
            Tree::Ptx(_) => &EMPTY,
        }
    }

    /// The text where it is PTX.
    pub(crate) fn ptx(&self) -> Option<&ptx::Text> {
        match &self.tree {
            Tree::Sass(_) => None,
            Tree::Ptx(text) => Some(text),
        }
    }

    /// What the binary that the text was made of says of its kernels, and the text's own headers.
    pub(crate) fn stated(&self, machine: &Machine) -> &StatedResources {
        self.stated.get_or_init(|| StatedResources::of(self.listing(), machine).with(&self.given))
    }
}
