//! A version of a document, and the views that answer queries about the document.

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
use crate::questions::{Costs, Editing, Navigation, UnreadDocument};
use crate::tune::Tuning;
use crate::tune::triton::PythonView;
use std::cell::LazyCell;
use std::sync::Arc;

/// All queries that a language implements.
pub(crate) trait Answers: Costs + Editing + Navigation + Tuning {}

impl<T: Costs + Editing + Navigation + Tuning> Answers for T {}

/// Language id of Python. Another language server also handles Python documents.
const PYTHON: &str = "python";

/// A version of a document, with the settings and the cancellation token of the request.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    pub document: Arc<Document>,
    /// URI of the document, as sent by the client.
    pub id: Arc<str>,
    pub context: Arc<Context>,
    pub cancel: Cancel,
}

impl Snapshot {
    pub(crate) fn language(&self) -> Language {
        self.document.language()
    }

    /// True if the setting `leaveAlone` excludes the document's language.
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

    /// Runs a query on a CUDA document, parsed for the architecture of the selected GPU. `None` for any other
    /// document.
    pub(crate) fn cuda<T>(&self, ask: impl FnOnce(&CudaView<'_>) -> T) -> Option<T> {
        let text = self.cuda_text()?;
        Some(ask(&CudaView { text: &text, context: &self.context, cancel: &self.cancel }))
    }

    fn cuda_text(&self) -> Option<Arc<CudaText>> {
        let Text::Cuda(text) = &self.document.text else { return None };
        Some(text.for_architecture(self.context.wish.gpu.as_ref().map(|gpu| gpu.arch.sm)))
    }

    /// Returns the view of a Python document. `None` for other documents, and if the settings exclude Python.
    pub(crate) fn python(&self) -> Option<PythonView<'_>> {
        match &self.document.text {
            Text::Source(text, PYTHON) if !self.is_left_alone() => {
                Some(PythonView { text, context: &self.context, cancel: &self.cancel })
            }
            _ => None,
        }
    }

    /// Runs a query on the document's language. Answers are empty if the document is not parsed or if its
    /// language is excluded.
    pub(crate) fn answers<T>(&self, ask: impl FnOnce(&dyn Answers) -> T) -> T {
        if self.is_left_alone() {
            return ask(&UnreadDocument);
        }
        if let Some(text) = self.cuda_text() {
            return ask(&CudaView { text: &text, context: &self.context, cancel: &self.cancel });
        }
        match (self.sass(), self.ptx(), self.python()) {
            (Some(sass), ..) => ask(&sass),
            (_, Some(ptx), _) => ask(&ptx),
            (.., Some(python)) => ask(&python),
            _ => ask(&UnreadDocument),
        }
    }

    /// Runs a query like [`Self::answers`]. `Err` if the request is cancelled.
    pub(crate) fn ask<T>(&self, ask: impl FnOnce(&dyn Answers) -> Cancellable<T>) -> Cancellable<T> {
        self.cancel.check()?;
        self.answers(ask)
    }

    /// Calls `ask` with all contributors to the answers about the document.
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

    /// Returns the compiled code attached to the document, with the launches in the document's host code. `None` if
    /// no code is attached, if the language is excluded, or if the code of a PTX document is stale.
    pub(crate) fn code(&self) -> Option<CodeView<'_>> {
        let attached = self.document.attached.as_ref().filter(|_| !self.is_left_alone())?;
        let source = self.document.source();
        let context = self.context.with_source(&self.source_facts(&attached.compiled));
        let view = CodeView::new(attached, source, context, &self.cancel);
        // Compiled code of an earlier PTX version is useless once the PTX has been edited.
        let is_overtaken = self.language() == Language::Ptx && view.is_stale();
        (!is_overtaken).then_some(view)
    }

    /// Returns launches and parameter names in the document for the kernels of its compiled code. Empty if
    /// the document is not CUDA.
    pub(crate) fn source_facts(&self, compiled: &Compiled) -> SourceFacts {
        self.cuda(|view| source_facts(view, compiled)).unwrap_or_default()
    }
}

/// Returns the file name at the end of a URI.
fn file_name(id: &str) -> String {
    // Blanks are the only escaped characters that are common in file names.
    name_of(id).replace("%20", " ")
}
