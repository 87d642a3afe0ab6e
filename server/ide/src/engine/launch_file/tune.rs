//! `[tune.<kernel>]`: the tuning parameters in a kernel's source, the shapes that it is used for, and the launches that
//! follow from them.

mod formulas;
mod read;
mod stated_problem;
#[cfg(test)]
mod tests;

pub(super) use read::read_tunings;
#[cfg(test)]
pub(super) use read::{KEYS, PARAMETER};
#[cfg(test)]
pub(super) use stated_problem::PROBLEM;
pub use stated_problem::StatedProblem;
pub(crate) use stated_problem::{LAYOUTS, tuner_parameters};

use super::{LaunchEntry, ParamValue};
use machine::LaunchLimits;
pub use machine::{Condition, Formula};
use std::fmt;

/// One `[tune.<kernel>]` as written.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedTuning {
    /// The kernel's name in its text, without scopes.
    pub kernel: String,
    /// At least one.
    pub shapes: Vec<Shape>,
    /// Blocks of the grid and threads of a block. A Triton kernel needs neither; its threads are never stated.
    pub grid: Option<[Formula; 3]>,
    pub block: Option<[Formula; 3]>,
    /// In bytes.
    pub dynamic_shared: Formula,
    /// Values of the kernel's parameters by position; `None` if they are not stated.
    pub params: Option<Vec<StatedArgument>>,
    /// At least one, except for a Triton kernel.
    pub parameters: Vec<TunedParameter>,
    /// Conditions that every variant must meet.
    pub conditions: Vec<Condition>,
    /// The problem that the kernel computes; `None` if it is not stated.
    pub problem: Option<StatedProblem>,
}

/// The sizes of an input, by names that the user chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub sizes: Vec<(String, i64)>,
}

/// A number in the kernel's text that a variant may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TunedParameter {
    /// A macro, a constant or a parameter of the kernel's template.
    pub name: String,
    /// Without duplicates. Empty if a Triton kernel's configurations state them.
    pub values: Vec<i64>,
    /// The corresponding parameter of the tuner's own kernels, if any: `block_m`.
    pub known_as: Option<String>,
}

/// The value of a kernel's argument.
#[derive(Debug, Clone, PartialEq)]
pub enum StatedArgument {
    Value(ParamValue),
    /// A formula over the shape and the variant.
    Of(Formula),
}

/// One value for each parameter of a tuning, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant(pub Vec<i64>);

impl Shape {
    pub(crate) fn size(&self, name: &str) -> Option<i64> {
        self.sizes.iter().find(|(own, _)| own == name).map(|(_, size)| *size)
    }
}

/// `M=2560 N=16 K=2560`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (name, size)) in self.sizes.iter().enumerate() {
            let gap = if number == 0 { "" } else { " " };
            write!(f, "{gap}{name}={size}")?;
        }
        Ok(())
    }
}

impl StatedTuning {
    /// Largest number of variants of one kernel.
    pub const MOST_VARIANTS: u64 = 1 << 16; // limit: each is checked when the file is read

    /// The number of combinations of the parameters' values, including those without a legal launch.
    pub fn combinations(&self) -> u64 {
        let counts = self.parameters.iter().map(|parameter| parameter.values.len() as u64);
        counts.fold(1, u64::saturating_mul)
    }

    /// The combination with this index: the last parameter varies fastest.
    pub fn combination(&self, mut number: u64) -> Variant {
        let mut values: Vec<i64> = Vec::with_capacity(self.parameters.len());
        for parameter in self.parameters.iter().rev() {
            let count = parameter.values.len() as u64;
            values.push(parameter.values[(number % count) as usize]);
            number /= count;
        }
        values.reverse();
        Variant(values)
    }

    /// Returns the variants that have a legal launch for a shape, in the order of the parameters' values.
    pub fn variants(&self, shape: &Shape) -> impl Iterator<Item = Variant> {
        let all = (0..self.combinations().min(Self::MOST_VARIANTS)).map(|number| self.combination(number));
        all.filter(move |variant| self.launch(shape, variant).is_some())
    }

    /// Returns the launch of a variant for a shape, without a function name. `None` if a condition does not hold, if
    /// the grid or the block is not stated, is not of whole numbers of at least 1 or exceeds the limits of all GPUs, or
    /// if the dynamic shared memory is not a 32-bit number.
    pub fn launch(&self, shape: &Shape, variant: &Variant) -> Option<LaunchEntry> {
        let of = |name: &str| self.value(shape, variant, name);
        if !self.conditions.iter().all(|condition| condition.holds(&of)) {
            return None;
        }
        let limits = LaunchLimits::builtin();
        let sizes = |formulas: &[Formula; 3], most: [u32; 3]| -> Option<[u32; 3]> {
            let mut sizes = [1; 3];
            for ((size, formula), most) in sizes.iter_mut().zip(formulas).zip(most) {
                *size = u32::try_from(formula.value(&of)?).ok().filter(|size| (1..=most).contains(size))?;
            }
            Some(sizes)
        };
        let grid = sizes(self.grid.as_ref()?, limits.grid.each_ref().map(|most| most.value))?;
        let block = sizes(self.block.as_ref()?, limits.block.each_ref().map(|most| most.value))?;
        let threads: u64 = block.iter().map(|size| u64::from(*size)).product();
        let dynamic_shared = u32::try_from(self.dynamic_shared.value(&of)?).ok()?;
        let argument = |argument: &StatedArgument| match argument {
            StatedArgument::Value(value) => *value,
            StatedArgument::Of(formula) => {
                formula.value(&of).map_or(ParamValue::Unknown, ParamValue::Integer)
            }
        };
        let params = self.params.as_ref().map(|params| params.iter().map(argument).collect());
        (threads <= u64::from(limits.threads)).then(|| LaunchEntry {
            name: Some(shape.to_string()),
            grid,
            block,
            dynamic_shared,
            params,
            ..LaunchEntry::default()
        })
    }

    /// Returns a variant's known parameters in terms of the tuner's own kernels: those mapped by `as`, and those in the
    /// problem's `tiling`.
    pub fn tiling(&self, shape: &Shape, variant: &Variant) -> Vec<(String, i64)> {
        let own = self.parameters.iter().zip(&variant.0);
        let mut known: Vec<(String, i64)> =
            own.filter_map(|(own, value)| Some((own.known_as.clone()?, *value))).collect();
        let of = |name: &str| self.value(shape, variant, name);
        let stated = self.problem.iter().flat_map(|problem| problem.tiling(&of));
        known.extend(stated.map(|(name, value)| (name.to_owned(), value)));
        known
    }

    /// True if the kernel is compiled by Triton: the threads of its blocks are not stated.
    pub fn is_of_triton(&self) -> bool {
        self.block.is_none()
    }

    /// Returns the number of blocks, given the values of names; `None` if the grid is not stated or cannot be computed
    /// from them.
    pub(crate) fn blocks(&self, of: &dyn Fn(&str) -> Option<i64>) -> Option<u64> {
        let sizes = self.grid.as_ref()?.iter().map(|formula| u64::try_from(formula.value(of)?).ok());
        let blocks = sizes.collect::<Option<Vec<u64>>>()?.into_iter().try_fold(1, u64::checked_mul)?;
        (blocks > 0).then_some(blocks)
    }

    /// True if the conditions hold, given the values of names. A condition with a name of unknown value is ignored.
    pub(crate) fn holds(&self, of: &dyn Fn(&str) -> Option<i64>) -> bool {
        let is_known = |condition: &&Condition| condition.names().all(|(name, _)| of(name).is_some());
        self.conditions.iter().filter(is_known).all(|condition| condition.holds(of))
    }

    /// `TILE_M = 128, TILE_N = 16`.
    pub fn in_words(&self, variant: &Variant) -> String {
        let pairs = self.parameters.iter().zip(&variant.0);
        let pairs: Vec<String> = pairs.map(|(own, value)| format!("{} = {value}", own.name)).collect();
        pairs.join(", ")
    }

    fn value(&self, shape: &Shape, variant: &Variant, name: &str) -> Option<i64> {
        let own = self.parameters.iter().position(|parameter| parameter.name == name);
        own.map_or_else(|| shape.size(name), |at| variant.0.get(at).copied())
    }
}
