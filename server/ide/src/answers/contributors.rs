//! Merges the contributions to the answers about a document: from its language, its compiled code and its profiles.

use super::snapshot::Answers;
use crate::compiled::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::measured::view::ProfileView;

/// A source of answers about a document.
#[derive(Clone, Copy)]
pub(crate) enum Contributor<'a> {
    /// The language of the document.
    Language(&'a dyn Answers),
    /// The code compiled from the document.
    Code(&'a CodeView<'a>),
    /// The attached profiles.
    Profile(&'a ProfileView<'a>),
}

/// A contributor's share of an answer.
pub(crate) enum Contribution<'a, T> {
    /// No contribution. The answer of the preceding contributors stays unchanged.
    Nothing,
    /// A new answer that replaces the answer of the preceding contributors. The preceding contributors are
    /// not queried.
    Replaces(T),
    /// A function that computes the new answer from the answer of the preceding contributors.
    Joins(Box<dyn FnOnce(T) -> Cancellable<T> + 'a>),
}

impl<'a, T> Contribution<'a, T> {
    pub(crate) fn joins(join: impl FnOnce(T) -> Cancellable<T> + 'a) -> Self {
        Self::Joins(Box::new(join))
    }
}

/// The sources that contribute to answers about a document: its language, its compiled code and its profile.
///
/// Tuning results do not pass through here. A contributor only reports which kernels can be tuned
/// ([`crate::TunedKernel`]); the server stores the results and adds them to the answer.
pub(crate) struct Contributors<'a> {
    language: &'a dyn Answers,
    /// Returns the compiled code. The code is read on the first call.
    code: &'a dyn Fn() -> Option<&'a CodeView<'a>>,
    profile: Option<&'a ProfileView<'a>>,
}

impl<'a> Contributors<'a> {
    pub(super) fn new(
        language: &'a dyn Answers,
        code: &'a dyn Fn() -> Option<&'a CodeView<'a>>,
        profile: Option<&'a ProfileView<'a>>,
    ) -> Self {
        Self { language, code, profile }
    }

    /// Returns the contributors without the compiled code, which is then not read.
    pub(super) fn without_code(&self) -> Self {
        Self { code: &|| None, ..*self }
    }

    pub(crate) fn language(&self) -> &'a dyn Answers {
        self.language
    }

    pub(crate) fn code(&self) -> Option<&'a CodeView<'a>> {
        (self.code)()
    }

    pub(crate) fn profile(&self) -> Option<&'a ProfileView<'a>> {
        self.profile
    }

    /// Merges the contributions in the order language, compiled code, profile. Queries the contributors in
    /// reverse order and stops at a contribution that replaces the preceding ones.
    pub(super) fn merged<'f, T: Default>(
        &self,
        part: impl Fn(Contributor<'a>) -> Cancellable<Contribution<'f, T>>,
    ) -> Cancellable<T> {
        let mut joins = Vec::new();
        let last_first = (self.profile.map(Contributor::Profile).into_iter())
            .chain(std::iter::once_with(|| self.code().map(Contributor::Code)).flatten())
            .chain([Contributor::Language(self.language)]);
        let mut merged = T::default();
        for contributor in last_first {
            match part(contributor)? {
                Contribution::Nothing => {}
                Contribution::Joins(join) => joins.push(join),
                Contribution::Replaces(answer) => {
                    merged = answer;
                    break;
                }
            }
        }
        joins.into_iter().rev().try_fold(merged, |merged, join| join(merged))
    }
}
