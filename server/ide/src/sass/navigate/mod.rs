//! From a place to the places that belong to it: definitions, references, callers, the source.

mod calls;
mod labels;
mod links;
mod mention;
mod named_lines;
mod places;
mod register_proof;
mod register_rename;
mod registers;
mod relations;
mod rename;
mod scoreboard_mentions;
mod scoreboards;
mod search;
mod selection;
mod subject;

pub use calls::{CallItem, CallSite};
pub(crate) use calls::{Name, all_names, incoming, item_at, outgoing};
pub use links::SourceLink;
pub(crate) use links::{links, named_places};
pub use places::{Reference, Target, Usage};
pub(crate) use relations::relations;
pub use rename::Refusal;
pub(crate) use rename::{nothing_here, range_at, rename};
pub use search::{FoundSymbol, NamedFunction};
pub(crate) use search::{find, named_functions};
pub(crate) use selection::{around, grow};

use crate::engine::cancel::Answer;
use crate::engine::sass_view::SassView;
use std::ops::Range;
use subject::Subject;

/// Finds the definitions of the thing at this place: a label's line, the writes that reach a register's use, who
/// sets the scoreboard that is waited for. The first is the range of the place itself. `None` where nothing is.
pub(crate) fn definitions(sass: &SassView, offset: usize) -> Option<(Range<usize>, Vec<Target>)> {
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
