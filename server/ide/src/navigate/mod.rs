//! From a place to the places that belong to it: definitions, references, callers, the source.

mod calls;
mod labels;
mod links;
mod mention;
mod register_proof;
mod register_rename;
mod registers;
mod rename;
mod scoreboards;
mod search;
mod selection;
mod subject;

pub(crate) use calls::Name;
pub use calls::{CallItem, CallSite};
pub use links::SourceLink;
pub use rename::Refusal;
pub use search::{FoundSymbol, NamedFunction};
pub(crate) use selection::grow;

use crate::kernel::Answer;
use crate::{Analysis, ptx};
use std::ops::Range;
use subject::Subject;

/// Place of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// All of it: the instruction, the line.
    pub range: Range<usize>,
    /// Range of the token that names it.
    pub selection: Range<usize>,
}

/// A place that speaks of the same thing as another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub range: Range<usize>,
    pub usage: Usage,
}

/// Use that a place makes of the thing that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Usage {
    /// Reads a register, waits for a scoreboard.
    Read,
    /// Writes a register, sets a scoreboard, defines a label.
    Write,
    /// Names it.
    Text,
}

impl Analysis {
    /// Finds the definitions of the thing at this place: a label's line, the writes that reach a register's use, who
    /// sets the scoreboard that is waited for. The first is the range of the place itself. `None` where nothing is.
    pub fn definitions(&self, offset: usize) -> Answer<Option<(Range<usize>, Vec<Target>)>> {
        self.cancel.check()?;
        if let Some(ptx) = self.ptx() {
            return Ok(ptx::definitions(&ptx, offset));
        }
        let Some((origin, subject)) = Subject::at(self, offset) else { return Ok(None) };
        let targets = match subject {
            Subject::Register(place) => registers::definitions(self, &place),
            Subject::Scoreboard(place) => scoreboards::definitions(self, &place),
            Subject::Label { chunk, name } => labels::definitions(self, chunk, &name),
            Subject::Address { chunk, inst } => labels::target_of(self, chunk, inst),
        };
        Ok((!targets.is_empty()).then_some((origin, targets)))
    }

    /// All places that speak of the same value, label, function or scoreboard, in text order.
    pub fn references(&self, offset: usize) -> Answer<Vec<Reference>> {
        self.cancel.check()?;
        if let Some(ptx) = self.ptx() {
            return ptx::references(&ptx, offset);
        }
        let Some((origin, subject)) = Subject::at(self, offset) else { return Ok(Vec::new()) };
        let mut found = match subject {
            Subject::Register(place) => registers::references(self, &place),
            Subject::Scoreboard(place) => scoreboards::references(self, &place),
            Subject::Label { chunk, name } => labels::references(self, chunk, &name)?,
            Subject::Address { chunk, inst } => labels::references_to_target(self, chunk, inst, origin),
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

    /// Returns the ranges that can be selected around a place, from its token to its kernel; each holds the one before.
    pub fn selections(&self, offset: usize) -> Answer<Vec<Range<usize>>> {
        self.cancel.check()?;
        Ok(match self.ptx() {
            Some(ptx) => ptx::around(&ptx, offset),
            None => selection::around(self, offset),
        })
    }

    /// The places in source files that the listing names, in text order.
    pub fn source_links(&self) -> Answer<Vec<SourceLink>> {
        match self.ptx() {
            Some(ptx) => ptx::links(&ptx),
            None => links::links(self),
        }
    }

    /// Kernels and functions whose name has these letters in this order; the best first.
    pub fn find_symbols(&self, query: &str) -> Answer<Vec<FoundSymbol>> {
        search::find(self, query)
    }

    /// All kernels and functions, in text order, for a search that outlives the text.
    pub fn named_functions(&self) -> Answer<Vec<NamedFunction>> {
        search::all(self)
    }

    /// The function at a place: the one that is named there, or else the one that the place stands in.
    pub fn call_item(&self, offset: usize) -> Answer<Option<CallItem>> {
        self.cancel.check()?;
        Ok(match self.ptx() {
            Some(ptx) => ptx::item_at(&ptx, offset),
            None => calls::item_at(self, offset),
        })
    }

    /// Who calls the function whose name stands at this place.
    pub fn incoming_calls(&self, selection: usize) -> Answer<Vec<CallSite>> {
        match self.ptx() {
            Some(ptx) => ptx::incoming_calls(&ptx, selection),
            None => calls::incoming(self, selection),
        }
    }

    /// Whom the function whose name stands at this place calls, as far as the listing holds them.
    pub fn outgoing_calls(&self, selection: usize) -> Answer<Vec<CallSite>> {
        match self.ptx() {
            Some(ptx) => ptx::outgoing_calls(&ptx, selection),
            None => calls::outgoing(self, selection),
        }
    }
}
