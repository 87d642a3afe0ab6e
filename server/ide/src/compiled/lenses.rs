//! The line over each kernel of a source, by its compiled code.

use super::view::CodeView;
use crate::engine::cancel::Answer;
use crate::sass::{launch, lenses};
use crate::{Lens, LensOf, LensPlace};
use std::ops::Range;

/// The places of the lenses: one for each launch of each kernel that the source has a line of.
pub(crate) fn places(view: &CodeView<'_>) -> Answer<Vec<LensPlace>> {
    let mut places = Vec::new();
    if !view.sass.context.config.code_lens {
        return Ok(places);
    }
    for (kernel, chunk) in view.sass.kernels() {
        view.sass.cancel.check()?;
        let Some(range) = head(view, kernel) else { continue };
        let launches = 0..launch::count(&view.sass, chunk);
        places.extend(launches.map(|number| LensPlace {
            range: range.clone(),
            kernel,
            of: LensOf::Compiled(number),
        }));
    }
    places.sort_by_key(|place| place.range.start);
    Ok(places)
}

/// The lens of a launch of a kernel, by the chunk that holds its code.
pub(crate) fn lens(view: &CodeView<'_>, kernel: usize, launch: usize) -> Answer<Option<Lens>> {
    let Some(range) = head(view, kernel) else { return Ok(None) };
    let Some(lens) = lenses::at(&view.sass, kernel, LensOf::Launch(launch))? else { return Ok(None) };
    let from = &view.code.from;
    let older = view.age().map_or_else(String::new, |age| format!("{age}\n\n"));
    let mark = if view.is_stale() { "older code: " } else { "" };
    Ok(Some(Lens {
        range,
        title: format!("{mark}{}", lens.title),
        detail: format!("{older}{}\n- Code: {}\n", lens.detail.trim_end(), from.by),
    }))
}

/// The line on which a kernel begins in the source: the least that its own instructions come from, those that were inlined
/// counted where they were called.
pub(crate) fn head(view: &CodeView<'_>, chunk: usize) -> Option<Range<usize>> {
    let count = view.code.stacks.get(chunk)?.len();
    let line = (0..count).filter_map(|inst| view.outer_line_of(chunk, inst)).min()?;
    Some(view.place(line)?.1)
}
