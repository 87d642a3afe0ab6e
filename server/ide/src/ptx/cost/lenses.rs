//! Lenses over functions of PTX and their loops.

use super::{ESTIMATED, Hidden, statement_range};
use crate::kernel::Answer;
use crate::ptx::{View, placed};
use crate::{Lens, LensOf, LensPlace};
use std::ops::Range;

pub(crate) fn lenses(view: &View<'_>) -> Answer<Vec<Lens>> {
    let mut found = Vec::new();
    for item in functions(view) {
        view.analysis.cancel.check()?;
        let Some(hidden) = view.cost(item) else { continue };
        let own = hidden.analysis.lenses()?;
        found.extend(own.into_iter().map(|lens| shown(view, item, &hidden, &lens)));
    }
    Ok(found)
}

pub(crate) fn places(view: &View<'_>) -> Answer<Vec<LensPlace>> {
    view.analysis.cancel.check()?;
    if !view.analysis.context.config.code_lens {
        return Ok(Vec::new());
    }
    let of = LensOf::Launch(0);
    let places = functions(view)
        .into_iter()
        .filter_map(|item| Some(LensPlace { range: name_range(view, item)?, kernel: item, of }));
    Ok(places.collect())
}

pub(crate) fn lens(view: &View<'_>, item: usize, of: LensOf) -> Answer<Option<Lens>> {
    let Some(hidden) = view.cost(item) else { return Ok(None) };
    let Some((index, _)) = hidden.analysis.kernels().next() else { return Ok(None) };
    let lens = hidden.analysis.lens(index, of)?;
    Ok(lens.map(|lens| shown(view, item, &hidden, &lens)))
}

/// Items with a body.
fn functions(view: &View<'_>) -> Vec<usize> {
    let items = view.module.items().iter().enumerate();
    items
        .filter(|(_, item)| item.function().is_some_and(|function| function.body.is_some()))
        .map(|(at, _)| at)
        .collect()
}

fn name_range(view: &View<'_>, item: usize) -> Option<Range<usize>> {
    let token = view.module.items()[item].name_token()?;
    Some(placed(view.start(item), &(token.start..token.end())))
}

/// A lens of the hidden listing where it belongs in the text.
fn shown(view: &View<'_>, item: usize, hidden: &Hidden, lens: &Lens) -> Lens {
    let at_instruction = hidden
        .instruction_at(lens.range.start)
        .and_then(|inst| hidden.statement(inst))
        .and_then(|statement| statement_range(view, item, statement));
    let range = at_instruction.or_else(|| name_range(view, item)).unwrap_or_default();
    Lens {
        range,
        title: format!("{ESTIMATED}: {}", lens.title),
        detail: format!("*{ESTIMATED}.{}*\n\n{}", hidden.doubts(), lens.detail),
    }
}
