//! Fix that pads the rows of a shared-memory array to avoid bank conflicts in column accesses.

use super::gain::{compare, cost, moved};
use super::place::{EditSite, indexed};
use crate::engine::cancel::Cancellable;
use crate::{Fix, TextEdit};
use machine::ptx::Ptx;
use model::MemorySpace;
use model::cuda::Site;
use std::ops::Range;
use syntax::cuda::{Expr, ExprKind, Memory, UnaryOp};

/// Returns the fix for a bank conflict. `None` if other code may depend on the row length, or if no padding reduces the
/// wavefronts of this access without adding wavefronts elsewhere or exceeding the limit of static shared memory.
pub(super) fn fix(place: &EditSite<'_>, range: &Range<usize>) -> Cancellable<Option<Fix>> {
    let is_here = |expr: &&Expr| place.placed.range(&expr.range) == *range;
    let found = place.expressions().into_iter().find(|expr| is_here(expr) && indexed(expr).is_some());
    let Some((name, depth)) = found.and_then(indexed) else { return Ok(None) };
    let Some(variable) = place.variable(name).filter(|variable| variable.memory == Memory::Shared) else {
        return Ok(None);
    };
    let (2.., Some(Some(length))) = (depth, variable.of.dimensions.last()) else { return Ok(None) };
    if variable.of.dimensions.len() != depth || !is_only_indexed(place, name, depth) {
        return Ok(None);
    }
    let mut best: Option<PaddingEdit> = None;
    for elements in 1..=MAX_ELEMENTS {
        let Some(padded) = padded(place, range, length, elements)? else { continue };
        if best.as_ref().is_none_or(|best| padded.wavefronts < best.wavefronts) {
            best = Some(padded);
        }
        if best.as_ref().is_some_and(|best| best.wavefronts <= 1.0) {
            break;
        }
    }
    Ok(best.map(|PaddingEdit { elements, edits, figures, .. }| {
        let by = if elements == 1 { "one element".to_owned() } else { format!("{elements} elements") };
        Fix {
            title: format!("Pad the rows of `{name}` by {by} (wavefronts per request: {figures})"),
            edits,
            preferred: false,
            suppresses: false,
        }
    }))
}

/// Largest padding to try, in elements per row.
const MAX_ELEMENTS: u32 = 4; // limit: more padding wastes shared memory

/// A padding that reduces bank conflicts.
struct PaddingEdit {
    elements: u32,
    edits: Vec<TextEdit>,
    figures: String,
    /// Wavefronts per request of the access with this padding.
    wavefronts: f64,
}

/// Pads the rows by `elements`. `None` if the padding does not reduce the wavefronts of this access, adds wavefronts
/// elsewhere, or exceeds the limit of static shared memory.
fn padded(
    place: &EditSite<'_>,
    range: &Range<usize>,
    length: &Expr,
    elements: u32,
) -> Cancellable<Option<PaddingEdit>> {
    let written = place.slice(&length.range);
    let longer = match &length.kind {
        ExprKind::Integer { value, .. } if written.parse() == Ok(*value) => {
            (value + u64::from(elements)).to_string()
        }
        ExprKind::Name { .. } | ExprKind::Field { .. } => format!("{written} + {elements}"),
        _ => format!("({written}) + {elements}"),
    };
    let edits = vec![place.edit(length.range.clone(), longer)];
    let start = |of: &Range<usize>| (of.start - place.placed.start as usize) as u32;
    let (before_at, after_at) = (start(range), start(&moved(range, &edits)));
    let limit = Ptx::builtin().static_shared_bytes().map(|bytes| u64::from(bytes.value));
    let found = compare(place, &edits, |before, after| {
        let is_at =
            |start: u32| move |site: &Site| site.place.item == place.item && site.place.start == start;
        let shared = MemorySpace::Shared;
        let has_room = after
            .launches
            .iter()
            .all(|launched| limit.is_some_and(|limit| launched.run.shared_bytes <= limit));
        let is_worth = cost(after, shared, |_| true).is_no_more_than(cost(before, shared, |_| true));
        let (here, then) = (cost(before, shared, is_at(before_at)), cost(after, shared, is_at(after_at)));
        Some((here.falls_to(then).filter(|_| has_room && is_worth)?, then.a_request()))
    })?;
    Ok(found.map(|(figures, wavefronts)| PaddingEdit { elements, edits, figures, wavefronts }))
}

/// True if every use of an array accesses a single element, so that no code depends on the row length.
fn is_only_indexed(place: &EditSite<'_>, name: &str, depth: usize) -> bool {
    let is_element = |expr: &Expr| indexed(expr) == Some((name, depth));
    let (mut names, mut elements, mut addresses, mut updated) = (0, 0, 0, 0);
    for expr in place.expressions() {
        match &expr.kind {
            ExprKind::Name { name: own, .. } => names += usize::from(own == name),
            ExprKind::Index { .. } => elements += usize::from(is_element(expr)),
            ExprKind::Unary { op: UnaryOp::AddressOf, of } => addresses += usize::from(is_element(of)),
            ExprKind::Call { function, arguments }
                if function.as_name().is_some_and(|name| name.starts_with("atomic")) =>
            {
                let is_address = |argument: &&Expr| matches!(&argument.kind, ExprKind::Unary { op: UnaryOp::AddressOf, of } if is_element(of));
                updated += arguments.iter().filter(is_address).count();
            }
            _ => {}
        }
    }
    names == elements && addresses == updated
}
