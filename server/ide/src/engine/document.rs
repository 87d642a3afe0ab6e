//! A version of a document, parsed in its language.

use crate::engine::code::Compiled;
use crate::engine::cuda_text::CudaText;
use crate::engine::line_moves::LineMoves;
use crate::engine::lineage::Lineage;
use crate::engine::ptx_text::PtxText;
use crate::engine::sass_text::SassText;
use crate::engine::size::{TooLarge, may_be_too_large};
use crate::engine::stated::ExternalFacts;
use crate::engine::surroundings::Surroundings;
use crate::{Language, TextEdit};
use std::borrow::Cow;
use std::sync::Arc;

/// A version of a document.
#[derive(Debug)]
pub(crate) struct Document {
    pub version: i32,
    pub text: Text,
    /// Bytes added by edits since the size of the document was last checked.
    added: usize,
    /// Code compiled from this version or an earlier one.
    pub attached: Option<AttachedCode>,
}

/// Code compiled from a document, and the line shifts caused by edits since the compilation.
#[derive(Debug, Clone)]
pub(crate) struct AttachedCode {
    pub compiled: Compiled,
    pub moves: Arc<LineMoves>,
    /// One-line reason why the current text does not compile. `None` if it compiles or was not compiled yet.
    pub refused: Option<Arc<str>>,
}

/// Text of a document as parsed in its language. SASS and PTX also have the earlier versions of long
/// functions whose hints can be reused, see [`Lineage`].
#[derive(Debug, Clone)]
pub(crate) enum Text {
    Sass(Arc<SassText>, Arc<Lineage<SassText>>),
    Ptx(Arc<PtxText>, Arc<Lineage<PtxText>>),
    Cuda(Arc<CudaText>),
    /// Source in a language that is not parsed. Facts about its lines come only from compiled code.
    Source(Arc<str>, &'static str),
    /// Text that is too large to parse, with the language that was detected or requested.
    Plain(TooLarge, Language),
}

impl Document {
    pub(crate) fn parse(version: i32, language: Language, text: &str, given: ExternalFacts) -> Arc<Self> {
        let text = match (TooLarge::check(text, language), language) {
            (Some(why), _) => Text::Plain(why, language),
            (None, Language::Sass) => Text::Sass(Arc::new(SassText::parse(text, given)), Arc::default()),
            (None, Language::Ptx) => Text::Ptx(Arc::new(PtxText::parse(text)), Arc::default()),
            (None, Language::Cuda) => Text::Cuda(Arc::new(CudaText::parse(text))),
            (None, Language::Source(name)) => Text::Source(text.into(), name),
        };
        Arc::new(Self { version, text, added: 0, attached: None })
    }

    /// Returns the whole source text. Empty for SASS, which is not a source language, and for text that is
    /// not parsed.
    pub(crate) fn source(&self) -> Cow<'_, str> {
        match &self.text {
            Text::Ptx(ptx, _) => ptx.module().text().into(),
            Text::Cuda(cuda) => (&**cuda.text()).into(),
            Text::Source(text, _) => (&**text).into(),
            Text::Sass(..) | Text::Plain(..) => "".into(),
        }
    }

    /// True if both documents share the same parsed text.
    pub(crate) fn has_text_of(&self, other: &Self) -> bool {
        match (&self.text, &other.text) {
            (Text::Sass(own, _), Text::Sass(other, _)) => Arc::ptr_eq(own, other),
            (Text::Ptx(own, _), Text::Ptx(other, _)) => Arc::ptr_eq(own, other),
            (Text::Cuda(own), Text::Cuda(other)) => Arc::ptr_eq(own, other),
            (Text::Source(own, _), Text::Source(other, _)) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }

    /// Returns this document with `compiled` as the attached code. The code must be compiled from the current
    /// text.
    pub(crate) fn attach(&self, compiled: Option<Compiled>) -> Arc<Self> {
        let attached =
            compiled.map(|compiled| AttachedCode { compiled, moves: Arc::default(), refused: None });
        Arc::new(Self { version: self.version, text: self.text.clone(), added: self.added, attached })
    }

    /// Returns this document with a one-line reason why its current text does not compile. The attached code
    /// of an earlier version stays.
    pub(crate) fn refuse(&self, why: &str) -> Arc<Self> {
        let attached = self.attached.clone();
        let attached = attached.map(|attached| AttachedCode { refused: Some(why.into()), ..attached });
        Arc::new(Self { version: self.version, text: self.text.clone(), added: self.added, attached })
    }

    /// Returns this document with edits applied in order, each to the text that the previous edit produced.
    /// The language stays the same.
    pub(crate) fn edited(&self, version: i32, edits: &[TextEdit]) -> Arc<Self> {
        let mut text = self.text.clone();
        let mut attached = self.attached.clone();
        for TextEdit { range, text: new } in edits {
            if let Some(AttachedCode { moves, refused, .. }) = &mut attached {
                *refused = None;
                let before = Self { version, text: text.clone(), added: 0, attached: None };
                Arc::make_mut(moves).edit(&before.source(), range, new);
            }
            text = match text {
                Text::Sass(sass, lineage) => Text::Sass(Arc::new(sass.edit(range.clone(), new)), lineage),
                Text::Ptx(ptx, lineage) => Text::Ptx(Arc::new(ptx.edit(range.clone(), new)), lineage),
                Text::Cuda(cuda) => Text::Cuda(Arc::new(cuda.edit(range.clone(), new))),
                Text::Source(source, name) => {
                    let (before, after) = (source.get(..range.start), source.get(range.end..));
                    Text::Source(
                        [before.unwrap_or_default(), new, after.unwrap_or_default()].concat().into(),
                        name,
                    )
                }
                Text::Plain(why, language) => Text::Plain(why, language),
            };
        }
        Arc::new(Self { version, text, added: self.added + added(edits), attached })
    }

    /// True if the edits require reopening the document with its whole text: the document is not parsed, or
    /// it may become too large.
    pub(crate) fn needs_text(&self, edits: &[TextEdit]) -> bool {
        let length = match &self.text {
            Text::Sass(sass, _) => sass.listing().len(),
            Text::Ptx(ptx, _) => ptx.module().len(),
            Text::Cuda(cuda) => cuda.text().len(),
            Text::Source(text, _) => text.len(),
            Text::Plain(..) => return true,
        };
        may_be_too_large(self.language(), length + added(edits), self.added + added(edits))
    }

    /// Returns this document with what other files tell about its CUDA source.
    pub(crate) fn within(&self, surroundings: Option<&Surroundings>) -> Arc<Self> {
        let text = match &self.text {
            Text::Cuda(cuda) => Text::Cuda(Arc::new(cuda.within(surroundings))),
            other => other.clone(),
        };
        Arc::new(Self { version: self.version, text, added: self.added, attached: self.attached.clone() })
    }

    /// Returns this document with facts about its kernels that the listing lacks.
    pub(crate) fn with(&self, given: ExternalFacts) -> Arc<Self> {
        let text = match &self.text {
            Text::Sass(sass, lineage) => Text::Sass(Arc::new(sass.with(given)), Arc::clone(lineage)),
            other @ (Text::Ptx(..) | Text::Cuda(_) | Text::Source(..) | Text::Plain(..)) => other.clone(),
        };
        let attached = self.attached.clone();
        Arc::new(Self { version: self.version, text, added: self.added, attached })
    }

    pub(crate) fn language(&self) -> Language {
        match self.text {
            Text::Sass(..) => Language::Sass,
            Text::Ptx(..) => Language::Ptx,
            Text::Cuda(_) => Language::Cuda,
            Text::Source(_, name) => Language::Source(name),
            Text::Plain(_, language) => language,
        }
    }
}

/// Returns the number of bytes that edits insert.
fn added(edits: &[TextEdit]) -> usize {
    edits.iter().map(|edit| edit.text.len()).sum()
}
