//! Answers of a language, joined with what the compiled code of its text says.

use crate::compiled::view::CodeView;
use crate::compiled::{findings as of_code, lenses as of_lenses};
use crate::cuda::kernels::{found_block, found_launches, instance_of, parameter_names};
use crate::cuda::view::CudaView;
use crate::engine::cancel::Answer;
use crate::engine::code::Compiled;
use crate::engine::names;
use crate::engine::source_facts::SourceFacts;
use crate::{Diagnostic, LensOf, LensPlace};
use model::MemorySpace;

/// Launches and parameter names that a text has for the kernels in its compiled code.
pub(crate) fn source_facts(view: &CudaView<'_>, compiled: &Compiled) -> SourceFacts {
    let chunks = compiled.0.text.listing().chunks().iter();
    let mut facts = SourceFacts::default();
    for chunk in chunks.filter(|chunk| !chunk.instructions().is_empty()) {
        let name = names::kernel_name(chunk);
        let own = found_launches(view, name);
        if own.is_empty() {
            facts.blocks.extend(found_block(view, name).map(|block| (name.to_owned(), block)));
        }
        facts.launches.extend(own);
        facts.parameter_names.extend(parameter_names(view, name).map(|names| (name.to_owned(), names)));
    }
    facts
}

/// Returns the findings of the text and of its code. One found by both has the code's figures at the text's place.
pub(crate) fn findings(code: &CodeView<'_>, text: &str, by_text: Vec<Diagnostic>) -> Answer<Vec<Diagnostic>> {
    if code.is_stale() {
        return Ok(by_text);
    }
    let mut all = of_code::findings(code)?;
    let mut placed = vec![false; all.len()];
    let line_of = |at: usize| text[..at.min(text.len())].rfind('\n').map_or(0, |end| end + 1);
    let mut left = by_text;
    // One line may have several accesses: those that cost as much are the same, then those in the same order.
    for is_alike in [costs_as_much as fn(&str, &str) -> bool, |_, _| true] {
        let mut rest = Vec::new();
        for own in left {
            let line = line_of(own.range.start);
            let same = (0..all.len()).find(|&at| {
                let found = &all[at];
                !placed[at]
                    && found.code == own.code
                    && line_of(found.range.start) == line
                    && is_alike(&found.message, &own.message)
            });
            match same {
                Some(at) => (all[at].range, placed[at]) = (own.range, true),
                None => rest.push(own),
            }
        }
        left = rest;
    }
    all.extend(left.into_iter().filter(|own| !is_settled(code, text, own)));
    all.sort_by_key(|found| found.range.start);
    Ok(all)
}

/// The rules on accesses that compiled code is asked about in the text's place, with the memory that they are about.
const OF_CODE: [(&str, MemorySpace); 2] =
    [("bank-conflict", MemorySpace::Shared), ("uncoalesced-access", MemorySpace::Global)];

/// Whether the code of a kernel settles what the text alone says of an access: it knows what all its accesses on that line take, or has
/// none there.
fn is_settled(code: &CodeView<'_>, text: &str, own: &Diagnostic) -> bool {
    let Some((_, space)) = OF_CODE.into_iter().find(|(rule, _)| *rule == own.code) else { return false };
    let line = 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..own.range.start.min(text.len())]).count();
    let Some(name) = own.function.as_deref() else { return false };
    let mut kernels =
        code.sass.kernels().filter(|(_, chunk)| is_of(names::kernel_name(chunk), name)).peekable();
    kernels.peek().is_some()
        && !kernels.any(|(kernel, _)| of_code::is_unsure(code, kernel, line as u32, space))
}

/// Whether two messages on accesses name the same cost of a request.
fn costs_as_much(one: &str, other: &str) -> bool {
    let cost = |message: &str| -> Option<String> {
        let end = message.find(" per request")?;
        let start = message[..end].rfind([':', '.']).map_or(0, |at| at + 1);
        Some(message[start..end].trim().to_owned())
    };
    cost(one).is_some_and(|own| cost(other) == Some(own))
}

/// True for the code of a kernel, which may be an instance of a template, that the text names.
fn is_of(code: &str, kernel: &str) -> bool {
    code == kernel || instance_of(code, kernel).is_some()
}

fn has_kernel(code: &CodeView<'_>, kernel: &str) -> bool {
    code.sass.kernels().any(|(_, chunk)| is_of(names::kernel_name(chunk), kernel))
}

/// Returns the places of the lenses of the text and of its code, which replaces the text for kernels that it has.
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
