//! A function of PTX lowered to the SASS that it is expected to become.

use crate::engine::parameters::layout::ParameterPlace;
use crate::engine::sass_text::SassText;
use crate::engine::source_facts::SourceFacts;
use crate::engine::stated::Given;
use model::launch::Stating;
use model::ptx::Names;
use model::ptx::lower::{self, Facts, Lowered};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::{Item, literal};

/// Source that is stated for every number of a lowered function.
pub(crate) const ESTIMATED: &str = "estimated from PTX";

/// A function lowered, and the document that its listing makes.
#[derive(Debug)]
pub(crate) struct Cost {
    /// Shared with the views of it.
    pub text: Arc<SassText>,
    pub item: Arc<Item>,
    /// The statement that each instruction of the listing is for.
    pub origin: Vec<u32>,
    /// Basic blocks of the statements, each with its first instruction of the listing.
    pub blocks: Vec<(Range<u32>, u32)>,
    /// Ends of the item's lines, in bytes.
    pub lines: Box<[u32]>,
    /// General registers of a thread, and bytes of shared memory that the function and its module declare.
    stating: Stating,
    /// A kernel's parameters: name, place from the first one on.
    parameters: Vec<(Box<str>, ParameterPlace)>,
    /// More registers are wanted than a thread can have.
    spills: bool,
    /// More predicates are wanted than a thread can have.
    lacks_predicates: bool,
    /// Statements whose expansion is not known.
    pub unknown: Vec<u32>,
}

impl Cost {
    pub(crate) fn lower(
        item: &Arc<Item>,
        names: &Names,
        facts: &Facts,
        arch: &Arc<model::Arch>,
    ) -> Option<Self> {
        let lowered = Lowered::lower(item, names, facts, arch)?;
        let stating =
            Stating { registers: Some(lowered.registers), shared: Some(lowered.shared), block: block(item) };
        let parameters = lower::parameters(item)
            .into_iter()
            .map(|parameter| {
                let place = ParameterPlace { offset: parameter.offset, bytes: parameter.bytes };
                (parameter.name.into(), place)
            })
            .collect();
        let ends = item.text().bytes().zip(0..).filter(|(byte, _)| *byte == b'\n').map(|(_, at)| at);
        let decoded = [(lowered.chunk, Arc::new(lowered.program))];
        let mut cost = Self {
            text: Arc::new(SassText::decoded(decoded, Given::default())),
            item: Arc::clone(item),
            origin: lowered.origin,
            blocks: lowered.blocks,
            lines: ends.collect(),
            stating,
            parameters,
            spills: lowered.spills,
            lacks_predicates: lowered.lacks_predicates,
            unknown: lowered.unknown,
        };
        cost.text = Arc::new(cost.text.with(given([&cost].into_iter())));
        Some(cost)
    }

    pub(crate) fn name(&self) -> &str {
        self.item.name().unwrap_or("?")
    }

    /// Returns the names of a kernel's parameters, by their offset from the first one: without the kernel's own name,
    /// which compilers put before them.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = (&str, ParameterPlace)> {
        let short = |name| str::strip_prefix(name, self.name()).and_then(|rest| rest.strip_prefix('_'));
        self.parameters.iter().map(move |(name, place)| (short(&**name).unwrap_or(name), *place))
    }

    /// Returns the unknowns of the estimate, in sentences.
    pub(crate) fn doubts(&self) -> String {
        let mut text = String::new();
        if self.spills {
            text.push_str(" It needs more registers at once than a thread can have; the spills of ptxas are not modelled.");
        }
        if self.lacks_predicates {
            text.push_str(
                " It needs more predicates at once than a thread has; how ptxas frees some is not modelled.",
            );
        }
        if !self.unknown.is_empty() {
            let count = self.unknown.len();
            let s = if count == 1 { " is" } else { "s are" };
            let _ = write!(text, " {count} instruction{s} not timed: their expansion is unknown.");
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

/// Collects what listings do not say of functions: their resources, and the places and names of their parameters.
pub(crate) fn given<'a>(costs: impl Iterator<Item = &'a Cost> + Clone) -> Given {
    let name = |cost: &Cost| cost.name().to_owned();
    let places = |cost: &Cost| cost.parameters.iter().map(|(_, place)| *place).collect();
    let names = |cost: &Cost| cost.parameters().map(|(name, _)| name.to_owned()).collect();
    let parameter_names = costs.clone().map(|cost| (name(cost), names(cost))).collect();
    Given {
        resources: costs.clone().map(|cost| (name(cost), cost.stating)).collect(),
        places: costs.map(|cost| (name(cost), places(cost))).collect(),
        stacks: Arc::default(),
        source: Arc::new(SourceFacts { parameter_names, ..SourceFacts::default() }),
    }
}
