//! Lenses: first the measurements of a kernel, then the predictions of its launches from compiled code or
//! source.

use super::contributors::{Contribution, Contributor, Contributors};
use super::findings::is_of;
use crate::compiled::view::CodeView;
use crate::engine::cancel::Cancellable;
use crate::engine::names;
use crate::kernels::lenses::simulate as simulate_kernel;
use crate::{Lens, LensLocation, LensSubject, compiled};

pub(crate) fn lenses(all: &Contributors<'_>) -> Cancellable<Vec<Lens>> {
    if all.profile().is_none() && all.code().is_none() {
        // Faster, because each kernel is visited only once.
        return all.language().lenses();
    }
    let lenses = places(all)?.into_iter().map(|place| lens(all, place.kernel, place.of));
    Ok(lenses.collect::<Cancellable<Vec<_>>>()?.into_iter().flatten().collect())
}

pub(crate) fn places(all: &Contributors<'_>) -> Cancellable<Vec<LensLocation>> {
    all.merged(|contributor| {
        Ok(match contributor {
            Contributor::Language(language) => Contribution::Replaces(language.lens_places()?),
            Contributor::Code(code) => Contribution::joins(move |by_text| with_code(code, by_text)),
            Contributor::Profile(profile) => Contribution::joins(move |places: Vec<LensLocation>| {
                // At the same position, measurements precede predictions.
                let mut all = profile.lens_places();
                all.extend(places);
                all.sort_by_key(|place| place.range.start);
                Ok(all)
            }),
        })
    })
}

/// Returns a lens of a kernel. Queries the contributor that returned the position of the lens.
pub(crate) fn lens(all: &Contributors<'_>, kernel: usize, of: LensSubject) -> Cancellable<Option<Lens>> {
    match of {
        LensSubject::Measured => all.profile().map_or(Ok(None), |profile| profile.lens(kernel)),
        LensSubject::Compiled(launch) => {
            all.code().map_or(Ok(None), |code| compiled::lenses::lens(code, kernel, launch))
        }
        LensSubject::Launch(_) | LensSubject::Loop(_) => all.language().lens(kernel, of),
    }
}

/// Simulates the launch of a lens in full. Returns true if the simulation produced a new figure.
pub(crate) fn simulate(all: &Contributors<'_>, kernel: usize, of: LensSubject) -> Cancellable<bool> {
    match of {
        LensSubject::Compiled(launch) => {
            all.code().map_or(Ok(false), |code| simulate_kernel(&code.sass, kernel, Some(launch)))
        }
        LensSubject::Launch(launch) => all.language().simulate(kernel, launch),
        LensSubject::Loop(_) | LensSubject::Measured => Ok(false),
    }
}

/// Returns the positions of all lenses. If compiled code contains a kernel, its launch lenses replace the
/// launch lenses of the source.
fn with_code(code: &CodeView<'_>, by_text: Vec<LensLocation>) -> Cancellable<Vec<LensLocation>> {
    let mut places = compiled::lenses::places(code)?;
    let chunks = code.sass.listing().chunks();
    for own in by_text {
        let name = code.text().get(own.range.clone()).unwrap_or_default();
        for place in &mut places {
            if chunks.get(place.kernel).is_some_and(|chunk| is_of(names::kernel_name(chunk), name)) {
                place.range.clone_from(&own.range);
            }
        }
        if !has_kernel(code, name) || !matches!(own.of, LensSubject::Launch(_)) {
            places.push(own);
        }
    }
    places.sort_by_key(|place| place.range.start);
    Ok(places)
}

fn has_kernel(code: &CodeView<'_>, kernel: &str) -> bool {
    code.sass.kernels().any(|(_, chunk)| is_of(names::kernel_name(chunk), kernel))
}
