//! From a place to the places that belong to it: definitions, references, callers, the source.

mod calls;
mod labels;
mod mention;
mod named_lines;
mod register_proof;
mod register_rename;
mod registers;
mod relations;
mod rename;
mod scoreboard_mentions;
mod scoreboards;
mod selection;
mod subject;

pub(crate) use calls::{all_names, incoming, item_at, outgoing};
pub(crate) use relations::relations;
pub(crate) use rename::{range_at, rename};
pub(crate) use selection::around;

use crate::engine::cancel::Answer;
use crate::engine::sass_view::SassView;
use crate::{NavigationTarget, Reference};
use std::ops::Range;
use subject::Subject;

/// Finds the definitions of the thing at this place: a label's line, the writes that reach a register's use, who
/// sets the scoreboard that is waited for. The first is the range of the place itself. `None` where nothing is.
pub(crate) fn definitions(sass: &SassView, offset: usize) -> Option<(Range<usize>, Vec<NavigationTarget>)> {
    let (origin, subject) = Subject::at(sass, offset)?;
    let targets = match subject {
        Subject::Register(place) => registers::definitions(&place),
        Subject::Scoreboard(place) => scoreboards::definitions(&place),
        Subject::Label { chunk, name } => labels::definitions(sass, chunk, &name),
        Subject::Address { kernel, inst } => labels::target_of(&kernel, inst),
    };
    (!targets.is_empty()).then_some((origin, targets))
}

/// All places that speak of the same value, label, function or scoreboard, in text order.
pub(crate) fn references(sass: &SassView, offset: usize) -> Answer<Vec<Reference>> {
    let Some((origin, subject)) = Subject::at(sass, offset) else { return Ok(Vec::new()) };
    let mut found = match subject {
        Subject::Register(place) => registers::references(&place),
        Subject::Scoreboard(place) => scoreboards::references(&place),
        Subject::Label { chunk, name } => labels::references(sass, chunk, &name)?,
        Subject::Address { kernel, inst } => labels::references_to_target(&kernel, inst, origin),
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
