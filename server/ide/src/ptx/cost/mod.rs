//! Estimated costs of PTX: each function is lowered to the SASS that ptxas would be expected to make of it, which a
//! hidden analysis answers for like any listing. Its answers are shown at the statements of PTX that the SASS is for, all
//! marked as estimates.

mod early;
mod findings;
mod hints;
mod hover;
mod lenses;
mod listing;
mod origin;
mod selection;
mod summary;
#[cfg(test)]
mod tests;

pub(crate) use early::early_hints;
pub(crate) use findings::findings;
pub(crate) use hints::hints;
pub(crate) use hover::{cost, of_kernel};
pub(crate) use lenses::{lens, lenses, places};
pub(crate) use origin::{Origin, Placed};
pub(crate) use selection::selection_cycles;
pub(crate) use summary::asked;

use super::View;
use crate::Analysis;
use crate::Language;
use crate::document::Document;
use crate::kernel::Answer;
use crate::launch::layout::Place;
use crate::stated::Given;
use model::launch::Stating;
use model::ptx::lower::{self, Facts, Lowered};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::{Item, ItemKind, literal};
use syntax::sass::Chunk;

/// Under which name every number of these stands.
pub(crate) const ESTIMATED: &str = "estimated: before ptxas";

/// Text for a statement that becomes nothing.
const FOLDED: &str = "No instruction of its own: it is folded into others or not needed.";

/// A function lowered, and the document that its listing makes.
#[derive(Debug)]
pub(crate) struct Cost {
    document: Arc<Document>,
    item: Arc<Item>,
    /// The statement that each instruction of the listing is for.
    origin: Vec<u32>,
    /// Basic blocks of the statements, each with its first instruction of the listing.
    blocks: Vec<(Range<u32>, u32)>,
    /// Ends of the item's lines, in bytes.
    lines: Box<[u32]>,
    /// General registers of a thread, and bytes of shared memory that the function and its module declare.
    stating: Stating,
    /// A kernel's parameters: name, place from the first one on.
    parameters: Vec<(Box<str>, Place)>,
    /// More registers are wanted than a thread can have.
    spills: bool,
    /// Statements whose expansion is not known.
    unknown: Vec<u32>,
}

/// A function's cost as a snapshot asks for it.
pub(super) struct Hidden {
    pub analysis: Analysis,
    pub placed: Placed,
}

impl Cost {
    fn of(item: &Arc<Item>, facts: &Facts, arch: &Arc<model::Arch>) -> Option<Self> {
        let lowered = Lowered::of(item, facts, arch)?;
        let stating =
            Stating { registers: Some(lowered.registers), shared: Some(lowered.shared), block: block(item) };
        let parameters = lower::parameters(item)
            .into_iter()
            .map(|parameter| {
                let place = Place { offset: parameter.offset, bytes: parameter.bytes };
                (parameter.name.into(), place)
            })
            .collect();
        let ends = item.text().bytes().zip(0..).filter(|(byte, _)| *byte == b'\n').map(|(_, at)| at);
        let mut cost = Self {
            document: Document::parse(0, Language::Sass, &lowered.listing(), Given::default()),
            item: Arc::clone(item),
            origin: lowered.origin,
            blocks: lowered.blocks,
            lines: ends.collect(),
            stating,
            parameters,
            spills: lowered.spills,
            unknown: lowered.unknown,
        };
        cost.document = cost.document.with(given([&cost].into_iter()));
        Some(cost)
    }

    pub(crate) fn document(&self) -> &Arc<Document> {
        &self.document
    }

    fn name(&self) -> &str {
        self.item.name().unwrap_or("?")
    }

    /// Returns the names of a kernel's parameters, by their offset from the first one: without the kernel's own name,
    /// which compilers put before them.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = (&str, Place)> {
        let short = |name| str::strip_prefix(name, self.name()).and_then(|rest| rest.strip_prefix('_'));
        self.parameters.iter().map(move |(name, place)| (short(&**name).unwrap_or(name), *place))
    }

    /// Returns the unknowns of the estimate, in sentences.
    pub(crate) fn doubts(&self) -> String {
        let mut text = String::new();
        if self.spills {
            text.push_str(" More registers are wanted at once than a thread can have; what ptxas would spill is not followed.");
        }
        if !self.unknown.is_empty() {
            let count = self.unknown.len();
            let s = if count == 1 { " is" } else { "s are" };
            let _ = write!(text, " Not timed: {count} instruction{s} of unknown expansion.");
        }
        text
    }
}

/// The block that a kernel says it is launched with, else the largest that it says it takes.
fn block(item: &Item) -> Option<[u32; 3]> {
    let function = item.function()?;
    let stated = |word: &str| {
        let directive = item.performance(function).find(|one| item.token_text(one.word) == word)?;
        let mut block = [1; 3];
        for (argument, extent) in directive.arguments().zip(&mut block) {
            *extent = u32::try_from(literal::integer(argument.text())?).ok().filter(|extent| *extent > 0)?;
        }
        Some(block)
    };
    stated(".reqntid").or_else(|| stated(".maxntid"))
}

/// Collects what listings do not say of functions: their resources, and the places of their parameters.
fn given<'a>(costs: impl Iterator<Item = &'a Cost> + Clone) -> Given {
    let name = |cost: &Cost| cost.name().to_owned();
    let places = |cost: &Cost| cost.parameters.iter().map(|(_, place)| *place).collect();
    Given {
        resources: costs.clone().map(|cost| (name(cost), cost.stating)).collect(),
        places: costs.map(|cost| (name(cost), places(cost))).collect(),
    }
}

/// Computes what hints and hovers of any function will ask for.
pub(crate) fn prepare(view: &View<'_>) -> Answer<()> {
    for item in view.bodies() {
        view.analysis.cancel.check()?;
        if let Some(hidden) = view.cost(item) {
            hidden.analysis.prepare()?;
            view.remember(item);
        }
    }
    Ok(())
}

impl View<'_> {
    /// The cost of a function of the module, from the memo or new. `None` for what has no body.
    pub(super) fn cost(&self, item: usize) -> Option<Hidden> {
        Some(self.hide(self.placed(item)?))
    }

    /// The same where it is computed already; `Some(None)` for what has no body.
    #[expect(clippy::option_option, reason = "not known yet is something else than known to be nothing")]
    pub(super) fn known_cost(&self, item: usize) -> Option<Option<Hidden>> {
        let function = self.module.items().get(item)?;
        let cost = self.analysis.context.ptx.known_cost(function, self.around())?;
        Some(cost.map(|cost| self.hide(Placed::new(cost, self.module.start(item)))))
    }

    fn placed(&self, item: usize) -> Option<Placed> {
        let function = self.module.items().get(item)?;
        if function.kind() != ItemKind::Function {
            return None;
        }
        let arch = self.target_gpu().gpu.arch;
        let facts = self.lowering_facts();
        let lower = || Cost::of(function, facts, &arch);
        let cost = self.analysis.context.ptx.cost(function, self.around(), lower)?;
        Some(Placed::new(cost, self.module.start(item)))
    }

    /// A hash of what the lowering of a function depends on beside its text.
    fn around(&self) -> u64 {
        self.lowering_facts().hash() ^ u64::from(self.target_gpu().gpu.arch.sm)
    }

    fn hide(&self, placed: Placed) -> Hidden {
        let document = Arc::clone(&placed.cost.document);
        let origin = Origin::new(self.target_gpu(), std::iter::once(placed.clone()));
        Hidden { analysis: self.hidden(document, origin), placed }
    }

    /// The analysis of a listing that nobody sees.
    fn hidden(&self, document: Arc<Document>, origin: Arc<Origin>) -> Analysis {
        Analysis {
            document,
            context: Arc::clone(&self.analysis.context),
            cancel: self.analysis.cancel.clone(),
            origin: Some(origin),
        }
    }

    /// Items with a body.
    pub(super) fn bodies(&self) -> Vec<usize> {
        let items = self.module.items().iter().enumerate();
        items
            .filter(|(_, item)| item.function().is_some_and(|function| function.body.is_some()))
            .map(|(at, _)| at)
            .collect()
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
    pub(super) fn instruction_at(&self, offset: usize) -> Option<u32> {
        let (chunk, start) = self.chunk()?;
        let byte = u32::try_from(offset.checked_sub(start)?).ok()?;
        Some(chunk.instruction_on(u32::try_from(chunk.line_at(byte)?).ok()?)? as u32)
    }

    /// The byte of the listing at which an instruction's line starts.
    pub(super) fn offset_of(&self, inst: u32) -> Option<usize> {
        let (chunk, start) = self.chunk()?;
        let line = chunk.instructions().get(inst as usize)?.line;
        Some(start + chunk.lines()[line as usize].start as usize)
    }

    /// The instructions of the listing that are for a statement, in its order.
    pub(super) fn instructions_of(&self, statement: usize) -> Vec<u32> {
        let count = self.placed.cost.origin.len() as u32;
        (0..count).filter(|&inst| self.placed.statement(inst) == Some(statement)).collect()
    }

    /// The one that says most of a statement: the first that accesses memory, else the first in the statement's own block,
    /// else the first.
    pub(super) fn main_instruction(&self, statement: usize) -> Option<u32> {
        let own = self.instructions_of(statement);
        let (chunk, _) = self.chunk()?;
        let model = self.analysis.model(chunk, &self.analysis.target(chunk));
        main_of(&self.placed, &model.program, &own)
    }
}

/// Returns [`Hidden::main_instruction`] of instructions that are for one statement.
pub(crate) fn main_of(placed: &Placed, program: &model::Program, own: &[u32]) -> Option<u32> {
    let accesses = |inst: &u32| {
        let memory = program.instructions[*inst as usize].memory;
        memory.is_some_and(|memory| memory.space != model::MemorySpace::Constant)
    };
    let is_home = |inst: &u32| placed.is_in_place(program, *inst);
    own.iter().copied().find(accesses).or_else(|| own.iter().copied().find(is_home)).or(own.first().copied())
}
