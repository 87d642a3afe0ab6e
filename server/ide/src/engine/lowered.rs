//! A PTX function lowered to the SASS that ptxas is expected to produce.

use crate::engine::parameters::layout::ParameterPlace;
use crate::engine::sass_text::SassText;
use crate::engine::source_facts::SourceFacts;
use crate::engine::stated::ExternalFacts;
use model::launch::DeclaredResources;
use model::ptx::Names;
use model::ptx::lower::{self, Facts, Lowered};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use syntax::ptx::{Item, literal};

/// Source that is cited for every figure of a lowered function.
pub(crate) const ESTIMATED: &str = "estimated from PTX";

/// A lowered function, with its SASS listing.
#[derive(Debug)]
pub(crate) struct Cost {
    /// The listing, shared with its views.
    pub text: Arc<SassText>,
    pub item: Arc<Item>,
    /// Index of the PTX statement that each instruction of the listing implements.
    pub origin: Vec<u32>,
    /// Basic blocks as ranges of statements, each with the index of the block's first instruction in the
    /// listing.
    pub blocks: Vec<(Range<u32>, u32)>,
    /// Byte offsets of line ends in the item.
    pub lines: Box<[u32]>,
    /// Registers per thread, and bytes of shared memory declared in the function and its module.
    stating: DeclaredResources,
    /// Parameters of a kernel: name, offset and size in bytes. Offsets are relative to the first parameter.
    parameters: Vec<(Box<str>, ParameterPlace)>,
    /// True if the function needs more registers per thread than the architecture allows.
    spills: bool,
    /// True if the function needs more predicate registers than a thread has.
    lacks_predicates: bool,
    /// Indices of statements with an unknown expansion.
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
        let stating = DeclaredResources {
            registers: Some(lowered.registers.min(register_limit(item, arch))),
            shared: Some(lowered.shared),
            block: block(item),
        };
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
            text: Arc::new(SassText::decoded(decoded, ExternalFacts::default())),
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

    /// Returns the names of a kernel's parameters, with the offset from the first parameter and the size in
    /// bytes. The kernel name that compilers prefix to parameter names is removed.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = (&str, ParameterPlace)> {
        let short = |name| str::strip_prefix(name, self.name()).and_then(|rest| rest.strip_prefix('_'));
        self.parameters.iter().map(move |(name, place)| (short(&**name).unwrap_or(name), *place))
    }

    /// Returns sentences about the effects that the estimate does not model. Empty if every effect is
    /// modelled.
    pub(crate) fn doubts(&self) -> String {
        let mut text = String::new();
        if self.spills {
            text.push_str(" It needs more registers at once than a thread can have; the spills of ptxas are not modelled.");
        }
        if self.lacks_predicates {
            text.push_str(
                " It needs more predicate registers at once than a thread has; how ptxas spills them is not modelled.",
            );
        }
        if !self.unknown.is_empty() {
            let count = self.unknown.len();
            let s = if count == 1 { " is" } else { "s are" };
            let _ = write!(
                text,
                " {count} instruction{s} not timed, because the expansion into SASS is unknown."
            );
        }
        text
    }
}

/// Returns the largest number of registers per thread with which as many blocks as `.minnctapersm` demands (1 by
/// default) fit on an SM. If no block size is stated, returns the maximum of the architecture. ptxas spills values that
/// need more registers.
fn register_limit(item: &Item, arch: &model::Arch) -> u32 {
    let resources = &arch.resources;
    let most = resources.max_registers_per_thread.value;
    let Some(block) = block(item) else { return most };
    let at_once = item.function().and_then(|function| {
        let directive =
            item.performance(function).find(|one| item.token_text(one.word) == ".minnctapersm")?;
        u32::try_from(literal::integer(directive.arguments().next()?.text())?).ok()
    });
    let threads = block.iter().fold(1_u32, |all, &extent| all.saturating_mul(extent));
    let at_once = at_once.unwrap_or(1).max(1);
    let of_block = resources.registers_per_block.value.min(resources.registers.value / at_once);
    // A warp gets its registers in whole units.
    let unit = resources.register_unit_per_warp.value.max(1);
    let of_warp = of_block / threads.div_ceil(resources.warp_size.max(1)).max(1) / unit * unit;
    most.min(of_warp / resources.warp_size.max(1)).max(1)
}

/// Returns the block size that `.reqntid` requires or, if it is missing, the upper bound that `.maxntid` sets. `None`
/// if the kernel has neither directive.
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

/// Collects facts about functions that listings lack: resources, and the names and offsets of parameters.
pub(crate) fn given<'a>(costs: impl Iterator<Item = &'a Cost> + Clone) -> ExternalFacts {
    let name = |cost: &Cost| cost.name().to_owned();
    let places = |cost: &Cost| cost.parameters.iter().map(|(_, place)| *place).collect();
    let names = |cost: &Cost| cost.parameters().map(|(name, _)| name.to_owned()).collect();
    let parameter_names = costs.clone().map(|cost| (name(cost), names(cost))).collect();
    ExternalFacts {
        resources: costs.clone().map(|cost| (name(cost), cost.stating)).collect(),
        places: costs.map(|cost| (name(cost), places(cost))).collect(),
        stacks: Arc::default(),
        source: Arc::new(SourceFacts { parameter_names, ..SourceFacts::default() }),
    }
}
