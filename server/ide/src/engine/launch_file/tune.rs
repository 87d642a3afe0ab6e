//! `[tune.<kernel>]`: the tuning parameters in a kernel's source, the problem shapes that it is used for, and
//! the launches for each shape.

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

/// A `[tune.<kernel>]` table, as written in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedTuning {
    /// The kernel's name in its source file, without scopes.
    pub kernel: String,
    /// Problem shapes, at least one.
    pub shapes: Vec<Shape>,
    /// Numbers of blocks per grid and of threads per block. Both are optional for a Triton kernel, whose block size
    /// is never stated.
    pub grid: Option<[Formula; 3]>,
    pub block: Option<[Formula; 3]>,
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared: Formula,
    /// Values of the kernel's parameters by position. `None` if they are not stated.
    pub params: Option<Vec<StatedArgument>>,
    /// Tuning parameters. At least one, except for a Triton kernel.
    pub parameters: Vec<TunedParameter>,
    /// Conditions that every variant must meet.
    pub conditions: Vec<Condition>,
    /// The problem that the kernel computes. `None` if it is not stated.
    pub problem: Option<StatedProblem>,
}

/// Sizes of a problem, with names that the user chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub sizes: Vec<(String, i64)>,
}

/// A number in the kernel's source that a variant may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TunedParameter {
    /// Name of a macro, a constant or a template parameter of the kernel.
    pub name: String,
    /// Values without duplicates. Empty if the configurations of a Triton kernel state the values.
    pub values: Vec<i64>,
    /// Name of the corresponding parameter in the tuner's own kernels, such as `block_m`. `None` if there is
    /// none.
    pub known_as: Option<String>,
}

/// Value of a kernel argument.
#[derive(Debug, Clone, PartialEq)]
pub enum StatedArgument {
    Value(ParamValue),
    /// A formula over shape sizes and variant parameters.
    Of(Formula),
}

/// A value for each parameter of a tuning, in the order of the parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant(pub Vec<i64>);

impl Shape {
    pub(crate) fn size(&self, name: &str) -> Option<i64> {
        self.sizes.iter().find(|(own, _)| own == name).map(|(_, size)| *size)
    }
}

/// Formats a shape as `M=2560 N=16 K=2560`.
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
    /// Largest number of variants per kernel.
    pub const MAX_VARIANTS: u64 = 1 << 16; // limit: each is checked when the file is read

    /// Returns the number of value combinations, including combinations without a legal launch.
    pub fn combinations(&self) -> u64 {
        let counts = self.parameters.iter().map(|parameter| parameter.values.len() as u64);
        counts.fold(1, u64::saturating_mul)
    }

    /// Returns the combination with this index. The last parameter varies fastest.
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

    /// Returns the variants with a legal launch for a shape, in the order of the parameters' values.
    pub fn variants(&self, shape: &Shape) -> impl Iterator<Item = Variant> {
        let all = (0..self.combinations().min(Self::MAX_VARIANTS)).map(|number| self.combination(number));
        all.filter(move |variant| self.launch(shape, variant).is_some())
    }

    /// Returns the launch of a variant for a shape, without a function name. `None` if a condition does not
    /// hold, or if the grid or the block is not stated. `None` also if one of their sizes is not a whole
    /// number from 1 to the limit of all GPUs, or if the dynamic shared memory is not an unsigned 32-bit
    /// number.
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
            StatedArgument::Value(value) => value.clone(),
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

    /// Returns a variant's known values as parameters of the tuner's own kernels: values mapped by `as`, and
    /// values in the problem's `tiling`.
    pub fn tiling(&self, shape: &Shape, variant: &Variant) -> Vec<(String, i64)> {
        let own = self.parameters.iter().zip(&variant.0);
        let mut known: Vec<(String, i64)> =
            own.filter_map(|(own, value)| Some((own.known_as.clone()?, *value))).collect();
        let of = |name: &str| self.value(shape, variant, name);
        let stated = self.problem.iter().flat_map(|problem| problem.tiling(&of));
        known.extend(stated.map(|(name, value)| (name.to_owned(), value)));
        known
    }

    /// True if the kernel is compiled by Triton. The block size of such a kernel is not stated.
    pub fn is_of_triton(&self) -> bool {
        self.block.is_none()
    }

    /// Returns the number of blocks in the grid. `of` returns the value of a name. `None` if the grid is not
    /// stated, or if these values do not determine it.
    pub(crate) fn blocks(&self, of: &dyn Fn(&str) -> Option<i64>) -> Option<u64> {
        let sizes = self.grid.as_ref()?.iter().map(|formula| u64::try_from(formula.value(of)?).ok());
        let blocks = sizes.collect::<Option<Vec<u64>>>()?.into_iter().try_fold(1, u64::checked_mul)?;
        (blocks > 0).then_some(blocks)
    }

    /// True if all conditions hold. `of` returns the value of a name. Ignores a condition with an unknown
    /// name.
    pub(crate) fn holds(&self, of: &dyn Fn(&str) -> Option<i64>) -> bool {
        let is_known = |condition: &&Condition| condition.names().all(|(name, _)| of(name).is_some());
        self.conditions.iter().filter(is_known).all(|condition| condition.holds(of))
    }

    /// Formats a variant as `TILE_M = 128, TILE_N = 16`.
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
