//! What PTX is estimated to cost: each function is lowered to the SASS that ptxas would be expected to make of it, which a
//! hidden analysis answers for like any listing. Its answers are shown at the statements of PTX that the SASS is for, all
//! marked as estimates.

mod hints;
mod hover;
mod lenses;
mod listing;
#[cfg(test)]
mod tests;

pub(crate) use hints::hints;
pub(crate) use hover::cost;
pub(crate) use lenses::{lens, lenses, places};
pub use listing::LoweredListing;

use super::View;
use crate::Analysis;
use crate::Language;
use crate::document::Document;
use crate::stated::Given;
use model::launch::Stating;
use model::ptx::lower::{Facts, Lowered};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::{Item, ItemKind};
use syntax::sass::Chunk;

/// Under which name every number of these stands.
pub(super) const ESTIMATED: &str = "estimated: before ptxas";

/// A function lowered, and the document that its listing makes.
#[derive(Debug)]
pub(crate) struct Cost {
    document: Arc<Document>,
    /// By instruction of the listing the statement that it is for.
    origin: Vec<u32>,
    /// General registers of a thread, and bytes of shared memory that the function and its module declare.
    stating: Stating,
    /// More registers are wanted than a thread can have.
    spills: bool,
    /// Statements whose expansion is not known.
    unknown: Vec<u32>,
}

/// A function's cost as a snapshot asks for it.
pub(super) struct Hidden {
    pub analysis: Analysis,
    pub cost: Arc<Cost>,
}

impl Cost {
    fn of(item: &Item, facts: &Facts, arch: &Arc<model::Arch>) -> Option<Self> {
        let lowered = Lowered::of(item, facts, arch)?;
        let name = item.name().unwrap_or_default().to_owned();
        let stating = Stating { registers: Some(lowered.registers), shared: Some(lowered.shared) };
        let given = Given { resources: Arc::from([(name, stating)]), ..Given::default() };
        Some(Self {
            document: Document::parse(0, Language::Sass, &lowered.listing(), given),
            origin: lowered.origin,
            stating,
            spills: lowered.spills,
            unknown: lowered.unknown,
        })
    }
}

impl View<'_> {
    /// The cost of a function of the module, from the memo or new. `None` for what has no body.
    pub(super) fn cost(&self, item: usize) -> Option<Hidden> {
        let function = self.module.items().get(item)?;
        if function.kind() != ItemKind::Function {
            return None;
        }
        let arch = self.target_gpu().gpu.arch;
        let facts = self.lowering_facts();
        let around = facts.hash() ^ u64::from(arch.sm);
        let cost = self.analysis.context.ptx.cost(function, around, || Cost::of(function, facts, &arch))?;
        let analysis = Analysis {
            document: Arc::clone(&cost.document),
            context: Arc::clone(&self.analysis.context),
            cancel: self.analysis.cancel.clone(),
        };
        Some(Hidden { analysis, cost })
    }

    /// The functions that touch a range of the text.
    pub(super) fn functions_in(&self, range: &Range<usize>) -> Vec<usize> {
        let (Some(first), Some(last)) = (self.module.item_at(range.start), self.module.item_at(range.end))
        else {
            return Vec::new();
        };
        (first..=last).filter(|&at| self.module.items()[at].kind() == ItemKind::Function).collect()
    }
}

impl Hidden {
    /// The listing's one function, and where it starts.
    pub(super) fn chunk(&self) -> Option<(&Arc<Chunk>, usize)> {
        let (index, chunk) = self.analysis.kernels().next()?;
        Some((chunk, self.analysis.start(index)))
    }

    /// The instruction of the listing that stands on the line of this byte.
    pub(super) fn instruction_at(&self, offset: usize) -> Option<usize> {
        let (chunk, start) = self.chunk()?;
        let byte = u32::try_from(offset.checked_sub(start)?).ok()?;
        chunk.instruction_on(u32::try_from(chunk.line_at(byte)?).ok()?)
    }

    /// The statement that an instruction of the listing is for.
    pub(super) fn statement(&self, inst: usize) -> Option<usize> {
        self.cost.origin.get(inst).map(|&statement| statement as usize)
    }

    /// What is not known of the estimate, in sentences.
    pub(super) fn doubts(&self) -> String {
        let mut text = String::new();
        if self.cost.spills {
            text.push_str(" More registers are wanted at once than a thread can have; what ptxas would spill is not followed.");
        }
        if !self.cost.unknown.is_empty() {
            let count = self.cost.unknown.len();
            let _ = write!(text, " The expansion of {count} instructions is not known: they are not timed.");
        }
        text
    }
}

/// Where a statement of an item stands in the text.
pub(super) fn statement_range(view: &View<'_>, item: usize, statement: usize) -> Option<Range<usize>> {
    let own = &view.module.items()[item];
    let statement = own.statements().get(statement)?;
    Some(super::placed(view.start(item), &own.range(statement)))
}
