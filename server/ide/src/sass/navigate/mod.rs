//! Navigation from an offset: definitions, references, callers, relations.

mod calls;
mod labels;
mod mention;
mod named_lines;
mod referent;
mod register_proof;
mod register_rename;
mod registers;
mod relations;
mod rename;
mod scoreboard_mentions;
mod scoreboards;
mod selection;

pub(crate) use calls::{all_names, incoming, item_at, outgoing};
pub(crate) use relations::relations;
pub(crate) use rename::{range_at, rename};
pub(crate) use selection::around;

use crate::engine::cancel::Cancellable;
use crate::engine::sass_view::SassView;
use crate::{NavigationTarget, Reference};
use referent::Referent;
use std::ops::Range;

/// Finds the definitions of the symbol at an offset: the line of a label, the writes that reach a
/// register read, or the setters of an awaited scoreboard. The first range covers the symbol. `None` if
/// no symbol is at the offset, or if the symbol has no definition.
pub(crate) fn definitions(sass: &SassView, offset: usize) -> Option<(Range<usize>, Vec<NavigationTarget>)> {
    let (origin, subject) = Referent::at(sass, offset)?;
    let targets = match subject {
        Referent::Register(place) => registers::definitions(&place),
        Referent::Scoreboard(place) => scoreboards::definitions(&place),
        Referent::Label { chunk, name } => labels::definitions(sass, chunk, &name),
        Referent::Address { kernel, inst } => labels::target_of(&kernel, inst),
    };
    (!targets.is_empty()).then_some((origin, targets))
}

/// All mentions of the same value, label, function or scoreboard, in text order.
pub(crate) fn references(sass: &SassView, offset: usize) -> Cancellable<Vec<Reference>> {
    let Some((origin, subject)) = Referent::at(sass, offset) else { return Ok(Vec::new()) };
    let mut found = match subject {
        Referent::Register(place) => registers::references(&place),
        Referent::Scoreboard(place) => scoreboards::references(&place),
        Referent::Label { chunk, name } => labels::references(sass, chunk, &name)?,
        Referent::Address { kernel, inst } => labels::references_to_target(&kernel, inst, origin),
    };
    found.sort_by_key(|reference| (reference.range.start, reference.usage));
    found.dedup_by(|next, first| {
        let same = next.range == first.range;
        if same {
            first.usage = first.usage.max(next.usage);
        }
        same
    });
    Ok(found)
}
