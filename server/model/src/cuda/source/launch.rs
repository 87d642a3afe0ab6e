//! Kernel launches as written in host code, and launch configurations for a run.

use super::source_span::SourceSpan;
use super::types::{Type, built_in};
use crate::StatedTensor;
use std::ops::Range;

/// Value of a template parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TemplateValue {
    Type(Type),
    Number(i64),
    Unknown,
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

impl TemplateValue {
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
