//! One version of a document, in its language.

use crate::engine::cuda_text::CudaText;
use crate::engine::lineage::Lineage;
use crate::engine::ptx_text::Text as PtxText;
use crate::engine::sass_text::SassText;
use crate::engine::size::{MOST_ADDED, MOST_BYTES, MOST_TOKENS_OF_A_LINE, TooLarge};
use crate::engine::stated::Given;
use crate::{Language, TextEdit};
use std::sync::Arc;

/// One version of a document.
#[derive(Debug)]
pub(crate) struct Document {
    pub version: i32,
    pub text: Text,
    /// Bytes that edits have added since the whole text was looked at.
    added: usize,
}

/// A text as the parser of its language read it, with the earlier versions whose figures are known.
#[derive(Debug, Clone)]
pub(crate) enum Text {
    Sass(Arc<SassText>, Arc<Lineage<SassText>>),
    Ptx(Arc<PtxText>, Arc<Lineage<PtxText>>),
    Cuda(Arc<CudaText>),
    /// Not read.
    Plain(TooLarge),
}

impl Document {
    pub(crate) fn parse(version: i32, language: Language, text: &str, given: Given) -> Arc<Self> {
        let text = match (TooLarge::check(text), language) {
            (Some(why), _) => Text::Plain(why),
            (None, Language::Sass) => Text::Sass(Arc::new(SassText::parse(text, given)), Arc::default()),
            (None, Language::Ptx) => Text::Ptx(Arc::new(PtxText::parse(text)), Arc::default()),
            (None, Language::Cuda) => Text::Cuda(Arc::new(CudaText::parse(text))),
        };
        Self::new(version, text, 0)
    }

    fn new(version: i32, text: Text, added: usize) -> Arc<Self> {
        Arc::new(Self { version, text, added })
    }

    /// Returns this document after edits in order, each to the text that the one before left. It stays in its language.
    pub(crate) fn edited(&self, version: i32, edits: &[TextEdit]) -> Arc<Self> {
        let mut text = self.text.clone();
        for TextEdit { range, text: new } in edits {
            text = match text {
                Text::Sass(sass, lineage) => Text::Sass(Arc::new(sass.edit(range.clone(), new)), lineage),
                Text::Ptx(ptx, lineage) => Text::Ptx(Arc::new(ptx.edit(range.clone(), new)), lineage),
                Text::Cuda(cuda) => Text::Cuda(Arc::new(cuda.edit(range.clone(), new))),
                Text::Plain(why) => Text::Plain(why),
            };
        }
        Self::new(version, text, self.added + added(edits))
    }

    /// Whether only the whole text tells what edits make of it: it is not read, or it may become too large.
    pub(crate) fn needs_text(&self, edits: &[TextEdit]) -> bool {
        let length = match &self.text {
            Text::Sass(sass, _) => sass.listing().len(),
            Text::Ptx(ptx, _) => ptx.module().len(),
            Text::Cuda(cuda) => cuda.text().len(),
            Text::Plain(_) => return true,
        };
        let (length, added) = (length + added(edits), self.added + added(edits));
        length > MOST_BYTES || length > MOST_TOKENS_OF_A_LINE && added > MOST_ADDED
    }

    /// Returns this document with other facts from elsewhere about its kernels, which a listing alone lacks.
    pub(crate) fn with(&self, given: Given) -> Arc<Self> {
        let text = match &self.text {
            Text::Sass(sass, lineage) => Text::Sass(Arc::new(sass.with(given)), Arc::clone(lineage)),
            other @ (Text::Ptx(..) | Text::Cuda(_) | Text::Plain(_)) => other.clone(),
        };
        Self::new(self.version, text, self.added)
    }

    pub(crate) fn language(&self) -> Language {
        match self.text {
            Text::Sass(..) | Text::Plain(_) => Language::Sass,
            Text::Ptx(..) => Language::Ptx,
            Text::Cuda(_) => Language::Cuda,
        }
    }
}

/// Bytes that edits put in.
fn added(edits: &[TextEdit]) -> usize {
    edits.iter().map(|edit| edit.text.len()).sum()
}
