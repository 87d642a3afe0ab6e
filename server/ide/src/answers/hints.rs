//! Hints of compiled code, or else of the text, followed by those of profiles.

use super::contributors::{Contribution, Contributor, Contributors};
use crate::engine::cancel::Cancellable;
use crate::kernels::hints::Asked;
use crate::{Hint, compiled};

pub(crate) fn hints(all: &Contributors<'_>, asked: &Asked) -> Cancellable<Vec<Hint>> {
    all.merged(|contributor| {
        Ok(match contributor {
            Contributor::Language(language) => Contribution::Replaces(language.hints(asked)?),
            // Text and code show costs on the same lines.
            Contributor::Code(code) => Contribution::Replaces(compiled::hints::hints(code, asked)?),
            Contributor::Profile(profile) => Contribution::joins(move |mut hints: Vec<Hint>| {
                hints.extend(profile.hints(asked)?);
                hints.sort_by_key(|hint| hint.offset);
                Ok(hints)
            }),
        })
    })
}

/// Hints to show until [`hints`] are computed; `None` if there is compiled code, whose hints are computed quickly.
pub(crate) fn early_hints(all: &Contributors<'_>, asked: &Asked) -> Cancellable<Option<Vec<Hint>>> {
    all.merged(|contributor| {
        Ok(match contributor {
            Contributor::Language(language) => Contribution::Replaces(language.early_hints(asked)?),
            Contributor::Code(_) => Contribution::Replaces(None),
            Contributor::Profile(_) => Contribution::Nothing,
        })
    })
}
