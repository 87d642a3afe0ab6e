//! Heat map of a document. Uses a single contributor, because measured and predicted shares cannot be added.

use super::contributors::{Contribution, Contributor, Contributors};
use crate::engine::cancel::{Cancel, Cancellable};
use crate::{HeatMap, compiled};
use std::ops::Range;

pub(crate) fn heat(
    all: &Contributors<'_>,
    range: &Range<usize>,
    cancel: &Cancel,
) -> Cancellable<Option<HeatMap>> {
    all.merged(|contributor| {
        Ok(match contributor {
            Contributor::Language(language) => Contribution::Replaces(language.heat(range)?),
            Contributor::Code(code) => Contribution::Replaces(cancel.ending(|| compiled::heat::heat(code))?),
            Contributor::Profile(profile) => match profile.heat()? {
                Some(heat) => Contribution::Replaces(Some(heat)),
                None => Contribution::Nothing,
            },
        })
    })
}
