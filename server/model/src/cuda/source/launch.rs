//! Kernel launches as written in host code, and launch configurations for a run.

use super::source_span::SourceSpan;
use super::types::{Type, built_in};
use crate::StatedTensor;
use std::ops::Range;
use std::sync::Arc;

/// Value of a template parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TemplateValue {
    Type(Type),
    Number(i64),
    Unknown,
}

/// A kernel and its template arguments. Arguments that are not written are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KernelInstance {
    /// Name of the kernel, without scopes.
    pub name: String,
    pub templates: Vec<TemplateValue>,
}

/// Configuration of a kernel launch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Configuration {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Arguments by position; missing arguments are unknown.
    pub arguments: Vec<Argument>,
    pub templates: Vec<TemplateValue>,
}

/// An argument of a kernel launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Argument {
    /// A pointer to a separate array, which is aligned like an allocation.
    Pointer,
    Number(i64),
    Float,
    /// A tensor map that host code encodes from constants.
    Tensor(StatedTensor),
    Unknown,
}

impl Argument {
    /// Replaces a tensor map with [`Self::Unknown`]. The costs of a kernel's source do not depend on tensor maps, so
    /// launches that differ only in their maps become equal.
    #[must_use]
    pub const fn without_tensor(self) -> Self {
        match self {
            Self::Tensor(_) => Self::Unknown,
            other => other,
        }
    }
}

/// Cluster size that a launch in host code states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaunchCluster {
    /// The launch states no cluster, so that the kernel's `__cluster_dims__` applies.
    Unstated,
    /// Number of blocks along x, y and z.
    Blocks([u32; 3]),
    /// The launch may state a cluster of an unknown size.
    Unknown,
}

/// A launch as written in host code. A value that is not a compile-time constant is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FoundLaunch {
    /// Name of the kernel, without scopes.
    pub function: String,
    pub templates: Vec<TemplateValue>,
    pub place: SourceSpan,
    /// Name and line of the launch if it is in another source, which then does not contain `place`.
    pub elsewhere: Option<Arc<str>>,
    pub grid: Option<[u32; 3]>,
    pub block: Option<[u32; 3]>,
    /// Byte range of the literal that states the block size, in the item; `None` if the block size is not a literal.
    pub block_number: Option<Range<u32>>,
    /// Bytes of dynamic shared memory per block.
    pub shared: Option<u32>,
    pub cluster: LaunchCluster,
    pub arguments: Vec<Argument>,
    /// True if two arguments use the same variable: they may point to the same array.
    pub shares_arrays: bool,
}

impl FoundLaunch {
    /// True if `other` is a launch by the same statement, and agrees with this one in all values that this one knows.
    pub fn is_refined_by(&self, other: &Self) -> bool {
        let has_fitting_arguments = self.arguments.len() == other.arguments.len()
            && self
                .arguments
                .iter()
                .zip(&other.arguments)
                .all(|(own, other)| *own == Argument::Unknown || own == other);
        (self.place, &self.function) == (other.place, &other.function)
            && self.may_launch(&other.templates)
            && has_fitting_arguments
            && self.grid.is_none_or(|_| self.grid == other.grid)
            && self.block.is_none_or(|_| self.block == other.block)
            && self.shared.is_none_or(|_| self.shared == other.shared)
            && (self.cluster == LaunchCluster::Unknown || self.cluster == other.cluster)
    }

    /// True if the launch may be one of an instance with these template arguments.
    pub fn may_launch(&self, templates: &[TemplateValue]) -> bool {
        self.templates.is_empty()
            || self.templates.len() == templates.len()
                && self.templates.iter().zip(templates).all(|(own, other)| own.may_be(other))
    }
}

impl TemplateValue {
    /// True if this value is unknown or equal to the other.
    pub fn may_be(&self, other: &Self) -> bool {
        *self == Self::Unknown || self == other
    }

    /// Returns the value as in source code: `float`, `128`. `?` if it is unknown.
    pub fn spelled(&self) -> String {
        match self {
            Self::Type(of) => of.spelled(),
            Self::Number(number) => number.to_string(),
            Self::Unknown => "?".to_owned(),
        }
    }

    /// Parses a template argument of a demangled name: a number or a built-in type. Any other text yields
    /// [`Self::Unknown`].
    pub fn parse(text: &str) -> Self {
        let number = text.rsplit(')').next().unwrap_or(text).trim_end_matches(['u', 'l']);
        match (number.parse(), text) {
            (Ok(number), _) => Self::Number(number),
            (_, "true") => Self::Number(1),
            (_, "false") => Self::Number(0),
            (_, name) => built_in(name).map_or(Self::Unknown, Self::Type),
        }
    }
}
