//! Answers of a language, joined with what the compiled code of its text says.

use crate::compiled::view::CodeView;
use crate::compiled::{findings as of_code, lenses as of_lenses};
use crate::cuda::kernels::{found_launches, instance_of};
use crate::cuda::view::CudaView;
use crate::engine::cancel::Answer;
use crate::engine::code::Compiled;
use crate::engine::context::Context;
use crate::engine::names;
use crate::{Diagnostic, LensOf, LensPlace};
use std::sync::Arc;

/// The settings and launches of a text, with the launches that its host code makes of the kernels in its code.
pub(crate) fn with_found_launches(view: &CudaView<'_>, compiled: &Compiled) -> Arc<Context> {
    let chunks = compiled.0.text.listing().chunks().iter();
    let names =
        chunks.filter(|chunk| !chunk.instructions().is_empty()).map(|chunk| names::kernel_name(chunk));
    let found: Vec<_> = names.flat_map(|name| found_launches(view, name)).collect();
    if found.is_empty() {
        return Arc::clone(view.context);
    }
    let mut context = (**view.context).clone();
    context.launches.get_or_insert_default().launches.extend(found);
    Arc::new(context)
}

/// The findings by the text and by its code. Where both find the same on a line, the code's figures stand at the text's place.
pub(crate) fn findings(code: &CodeView<'_>, text: &str, by_text: Vec<Diagnostic>) -> Answer<Vec<Diagnostic>> {
    if code.is_stale() {
        return Ok(by_text);
    }
    let mut all = of_code::findings(code)?;
    let line_of = |at: usize| text[..at.min(text.len())].rfind('\n').map_or(0, |end| end + 1);
    for own in by_text {
        let line = line_of(own.range.start);
        let same = all.iter_mut().find(|found| found.code == own.code && line_of(found.range.start) == line);
        match same {
            Some(found) => found.range = own.range,
            // The code tells what its accesses take.
            None if own.group == MEMORY
                && own.function.as_deref().is_some_and(|name| has_kernel(code, name)) => {}
            None => all.push(own),
        }
    }
    all.sort_by_key(|found| found.range.start);
    Ok(all)
}

/// The group of rules on accesses, which compiled code is asked about in the text's place.
const MEMORY: &str = "memory";

/// True for the code of a kernel, which may be an instance of a template, that the text names.
fn is_of(code: &str, kernel: &str) -> bool {
    code == kernel || instance_of(code, kernel).is_some()
}

fn has_kernel(code: &CodeView<'_>, kernel: &str) -> bool {
    code.sass.kernels().any(|(_, chunk)| is_of(names::kernel_name(chunk), kernel))
}

/// The places of the lenses by the text and by its code, which stands for the text where it has the kernel.
pub(crate) fn lens_places(
    code: &CodeView<'_>,
    text: &str,
    by_text: Vec<LensPlace>,
) -> Answer<Vec<LensPlace>> {
    let mut places = of_lenses::places(code)?;
    let chunks = code.sass.listing().chunks();
    for own in by_text {
        let name = text.get(own.range.clone()).unwrap_or_default();
        for place in &mut places {
            if chunks.get(place.kernel).is_some_and(|chunk| is_of(names::kernel_name(chunk), name)) {
                place.range.clone_from(&own.range);
            }
        }
        if !has_kernel(code, name) || !matches!(own.of, LensOf::Launch(_)) {
            places.push(own);
        }
    }
    places.sort_by_key(|place| place.range.start);
    Ok(places)
}
