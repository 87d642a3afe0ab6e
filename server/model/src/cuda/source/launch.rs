//! Launches: as host code has them, and as they are run.

use super::place::Place;
use super::types::{Type, built_in};
use std::ops::Range;

/// Value of a template parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TemplateValue {
    Type(Type),
    Number(i64),
    Unknown,
}

/// A launch of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Configuration {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Arguments by position; those that are missing are unknown.
    pub arguments: Vec<Argument>,
    pub templates: Vec<TemplateValue>,
}

/// An argument of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Argument {
    /// An array of its own, aligned as an allocation is.
    Pointer,
    Number(i64),
    Float,
    Unknown,
}

/// A launch as written in host code. What depends on more than constants is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FoundLaunch {
    /// Name of the kernel, without scopes.
    pub function: String,
    pub templates: Vec<TemplateValue>,
    pub place: Place,
    pub grid: Option<[u32; 3]>,
    pub block: Option<[u32; 3]>,
    /// Bytes of the block in the item, where it is written as a number.
    pub block_number: Option<Range<u32>>,
    /// Bytes of dynamic shared memory.
    pub shared: Option<u32>,
    pub arguments: Vec<Argument>,
    /// Two of the arguments may lead to the same array: they use the same variable.
    pub shares_arrays: bool,
}

impl TemplateValue {
    /// Reads an argument as a demangled name has it: a number, or a built-in type.
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
