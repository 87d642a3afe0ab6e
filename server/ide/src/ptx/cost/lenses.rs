//! Lenses of PTX functions and their loops.

use super::hidden::HiddenListing;
use crate::engine::cancel::Cancellable;
use crate::engine::lowered::ESTIMATED;
use crate::engine::ptx_text::placed;
use crate::kernels::lenses;
use crate::ptx::view::View;
use crate::{Lens, LensLocation, LensSubject};
use std::ops::Range;

pub(crate) fn lenses(view: &View<'_>) -> Cancellable<Vec<Lens>> {
    let mut found = Vec::new();
    for item in view.estimated_bodies() {
        view.cancel.check()?;
        if let Some(why) = view.unestimated(item) {
            found.push(unestimated(view, item, why));
            continue;
        }
        let Some(hidden) = view.cost(item) else { continue };
        let places = lenses::places(&hidden.sass)?;
        let own = lenses::lenses(&hidden.sass)?.into_iter().zip(places);
        found.extend(own.map(|(lens, place)| shown(view, item, &hidden, &lens, place.of)));
    }
    Ok(found)
}

pub(crate) fn places(view: &View<'_>) -> Cancellable<Vec<LensLocation>> {
    let mut places = Vec::new();
    for item in view.estimated_bodies() {
        view.cancel.check()?;
        if view.unestimated(item).is_some() {
            places.push(LensLocation { range: name(view, item), kernel: item, of: LensSubject::Launch(0) });
            continue;
        }
        let Some(hidden) = view.cost(item) else { continue };
        let own = lenses::places(&hidden.sass)?.into_iter();
        places.extend(own.map(|LensLocation { of, .. }| LensLocation {
            range: range(view, item, &hidden, of),
            kernel: item,
            of,
        }));
    }
    Ok(places)
}

pub(crate) fn lens(view: &View<'_>, item: usize, of: LensSubject) -> Cancellable<Option<Lens>> {
    if let Some(why) = view.unestimated(item) {
        return Ok(Some(unestimated(view, item, why)));
    }
    let Some(hidden) = view.cost(item) else { return Ok(None) };
    let Some((index, _)) = hidden.sass.kernels().next() else { return Ok(None) };
    let lens = lenses::at(&hidden.sass, index, of)?;
    Ok(lens.map(|lens| shown(view, item, &hidden, &lens, of)))
}

/// Simulates a launch of a function in full. Returns true if the simulation produced a new figure.
pub(crate) fn simulate(view: &View<'_>, item: usize, launch: usize) -> Cancellable<bool> {
    let Some(hidden) = view.cost(item) else { return Ok(false) };
    let Some((index, _)) = hidden.sass.kernels().next() else { return Ok(false) };
    lenses::simulate(&hidden.sass, index, Some(launch))
}

/// A lens that explains why a function has no figures.
fn unestimated(view: &View<'_>, item: usize, why: &str) -> Lens {
    Lens {
        range: name(view, item),
        title: why.to_owned(),
        detail: format!("The cost is {why}."),
        is_of_loop: false,
        is_quick: false,
        to_state: None,
    }
}

/// Converts a lens of the hidden listing to a lens in the PTX.
fn shown(view: &View<'_>, item: usize, hidden: &HiddenListing, lens: &Lens, of: LensSubject) -> Lens {
    Lens {
        range: range(view, item, hidden, of),
        title: format!("{} · {ESTIMATED}", lens.title),
        detail: format!("*{ESTIMATED}.{}*\n\n{}", hidden.placed.cost.doubts(), lens.detail),
        is_of_loop: lens.is_of_loop,
        is_quick: lens.is_quick,
        to_state: lens.to_state.clone(),
    }
}

/// Range of a lens: the function's name or the head of the loop.
fn range(view: &View<'_>, item: usize, hidden: &HiddenListing, of: LensSubject) -> Range<usize> {
    let head = match of {
        LensSubject::Launch(_) | LensSubject::Compiled(_) | LensSubject::Measured => None,
        LensSubject::Loop(number) => loop_head(hidden, number),
    };
    head.unwrap_or_else(|| name(view, item))
}

/// Range of the function's name; an empty range at offset 0 if the function has no name.
fn name(view: &View<'_>, item: usize) -> Range<usize> {
    let token = view.module.items()[item].name_token();
    token.map(|token| placed(view.start(item), &(token.start..token.end()))).unwrap_or_default()
}

/// Range of the label that the loop's backward branch targets, otherwise of the statement of the loop's
/// first instruction.
fn loop_head(hidden: &HiddenListing, number: usize) -> Option<Range<usize>> {
    let kernel = hidden.kernel()?;
    let time = kernel.loops().get(number)?;
    let label = hidden.placed.label(time.branch).and_then(|label| hidden.placed.labelled(label));
    let statement = label.or_else(|| hidden.placed.statement(time.start))?;
    Some(hidden.placed.range(statement))
}
