//! A document at one version, with the views that answer questions about it.

use super::contributors::Contributors;
use super::source_facts::source_facts;
use crate::Language;
use crate::compiled::view::CodeView;
use crate::cuda::view::CudaView;
use crate::engine::cancel::{Cancel, Cancellable};
use crate::engine::code::Compiled;
use crate::engine::context::Context;
use crate::engine::cuda_text::CudaText;
use crate::engine::document::{Document, Text};
use crate::engine::profile_launch::name_of;
use crate::engine::sass_view::SassView;
use crate::engine::source_facts::SourceFacts;
use crate::measured::view::ProfileView;
use crate::ptx::view::View;
use crate::questions::{Costs, Editing, Navigation, Unread};
use crate::tune::Tuning;
use crate::tune::triton::PythonView;
use std::cell::LazyCell;
use std::sync::Arc;

/// All questions that a language answers.
pub(crate) trait Answers: Costs + Editing + Navigation + Tuning {}

impl<T: Costs + Editing + Navigation + Tuning> Answers for T {}

/// The name of Python among the languages of other servers.
const PYTHON: &str = "python";

/// One version of a document, with the settings and what stops the work.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub document: Arc<Document>,
    /// The client's name of it.
    pub id: Arc<str>,
    pub context: Arc<Context>,
    pub cancel: Cancel,
}

impl Snapshot {
    pub(crate) fn language(&self) -> Language {
        self.document.language()
    }

    /// True if documents in this language get no answers.
    pub(crate) fn is_left_alone(&self) -> bool {
        let name = self.language().shared_name();
        name.is_some_and(|name| self.context.config.leave_alone.iter().any(|alone| alone == name))
    }

    pub(crate) fn sass(&self) -> Option<SassView> {
        let Text::Sass(text, lineage) = &self.document.text else { return None };
        Some(SassView {
            text: Arc::clone(text),
            context: self.context.with_source(&text.given().source),
            cancel: self.cancel.clone(),
            origin: None,
            lineage: Arc::clone(lineage),
        })
    }

    pub(crate) fn ptx(&self) -> Option<View<'_>> {
        let Text::Ptx(text, lineage) = &self.document.text else { return None };
        Some(View::new(text, lineage, &self.context, &self.cancel))
    }

    /// Queries the view of a CUDA document as compiled for the GPU that the user names; `None` for any other document.
    pub(crate) fn cuda<T>(&self, ask: impl FnOnce(&CudaView<'_>) -> T) -> Option<T> {
        let text = self.cuda_text()?;
        Some(ask(&CudaView { text: &text, context: &self.context, cancel: &self.cancel }))
    }

    fn cuda_text(&self) -> Option<Arc<CudaText>> {
        let Text::Cuda(text) = &self.document.text else { return None };
        Some(text.for_architecture(self.context.wish.gpu.as_ref().map(|gpu| gpu.arch.sm)))
    }

    /// The view of a document in Python; `None` for any other, and for one that is left alone.
    pub(crate) fn python(&self) -> Option<PythonView<'_>> {
        match &self.document.text {
            Text::Source(text, PYTHON) if !self.is_left_alone() => {
                Some(PythonView { text, context: &self.context, cancel: &self.cancel })
            }
            _ => None,
        }
    }

    /// Asks the document's language. A text that is not read or that is left alone has empty answers.
    pub(crate) fn answers<T>(&self, ask: impl FnOnce(&dyn Answers) -> T) -> T {
        if self.is_left_alone() {
            return ask(&Unread);
        }
        if let Some(text) = self.cuda_text() {
            return ask(&CudaView { text: &text, context: &self.context, cancel: &self.cancel });
        }
        match (self.sass(), self.ptx(), self.python()) {
            (Some(sass), ..) => ask(&sass),
            (_, Some(ptx), _) => ask(&ptx),
            (.., Some(python)) => ask(&python),
            _ => ask(&Unread),
        }
    }

    /// [`Self::answers`], but fails if the request is cancelled.
    pub(crate) fn ask<T>(&self, ask: impl FnOnce(&dyn Answers) -> Cancellable<T>) -> Cancellable<T> {
        self.cancel.check()?;
        self.answers(ask)
    }

    /// Asks all contributors to the answers on the document.
    pub(crate) fn contributors<T>(
        &self,
        ask: impl FnOnce(&Contributors<'_>) -> Cancellable<T>,
    ) -> Cancellable<T> {
        self.cancel.check()?;
        let has_profiles = self.has_profiles();
        self.answers(|language| {
            let code = LazyCell::new(|| self.code());
            let code = || code.as_ref();
            let measured = has_profiles.then(|| (self.sass(), self.document.source(), file_name(&self.id)));
            let profile = measured.as_ref().map(|(sass, source, file)| {
                ProfileView::new(sass.as_ref(), code(), (source, file), &self.context)
            });
            ask(&Contributors::new(language, &code, profile.as_ref()))
        })
    }

    fn has_profiles(&self) -> bool {
        !self.context.profiles.files().is_empty() && !self.is_left_alone()
    }

    /// The code that is attached to the document, with the launches that its own host code makes.
    pub(crate) fn code(&self) -> Option<CodeView<'_>> {
        let attached = self.document.attached.as_ref().filter(|_| !self.is_left_alone())?;
        let source = self.document.source();
        let context = self.context.with_source(&self.source_facts(&attached.compiled));
        let view = CodeView::new(attached, source, context, &self.cancel);
        // What PTX is estimated to become is of the text as it is.
        let is_overtaken = self.language() == Language::Ptx && view.is_stale();
        (!is_overtaken).then_some(view)
    }

    /// Launches and parameter names in the text for kernels of its compiled code; empty if the text is not CUDA.
    pub(crate) fn source_facts(&self, compiled: &Compiled) -> SourceFacts {
        self.cuda(|view| source_facts(view, compiled)).unwrap_or_default()
    }
}

/// The name of the file in a URI.
fn file_name(id: &str) -> String {
    // Only blanks and the like are written otherwise in a URI.
    name_of(id).replace("%20", " ")
}
