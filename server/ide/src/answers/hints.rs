//! Hints of compiled code or, if there is no compiled code, of the language, followed by hints of profiles.

use super::contributors::{Contribution, Contributor, Contributors};
use crate::engine::cancel::Cancellable;
use crate::kernels::hints::HintRequest;
use crate::{Hint, compiled};

pub(crate) fn hints(all: &Contributors<'_>, asked: &HintRequest) -> Cancellable<Vec<Hint>> {
    all.merged(|contributor| {
        Ok(match contributor {
            Contributor::Language(language) => Contribution::Replaces(language.hints(asked)?),
            // The language and the compiled code would show costs on the same lines.
            Contributor::Code(code) => Contribution::Replaces(compiled::hints::hints(code, asked)?),
            Contributor::Profile(profile) => Contribution::joins(move |mut hints: Vec<Hint>| {
                hints.extend(profile.hints(asked)?);
                hints.sort_by_key(|hint| hint.offset);
                Ok(hints)
            }),
        })
    })
}

/// Returns hints to show until [`hints`] are computed. `None` if there is compiled code, because its hints
/// are computed quickly.
pub(crate) fn early_hints(all: &Contributors<'_>, asked: &HintRequest) -> Cancellable<Option<Vec<Hint>>> {
    all.merged(|contributor| {
        Ok(match contributor {
            Contributor::Language(language) => Contribution::Replaces(language.early_hints(asked)?),
            Contributor::Code(_) => Contribution::Replaces(None),
            Contributor::Profile(_) => Contribution::Nothing,
        })
    })
}
