//! Places that navigation leads to, as clients get them.

use std::ops::Range;

/// Place of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavigationTarget {
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

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLink {
    /// From the file's name to the line's number.
    pub range: Range<usize>,
    /// The path that the compiler meant, absolute or relative to where it ran.
    pub path: String,
    /// Counted from 1.
    pub line: u32,
}

/// A kernel, or a function within one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallItem {
    /// Demangled where it was mangled.
    pub name: String,
    /// The kernel that contains it; `None` for a kernel.
    pub detail: Option<String>,
    pub is_kernel: bool,
    /// All of it.
    pub range: Range<usize>,
    /// Its name.
    pub selection: Range<usize>,
}

/// The other end of calls, and the places of the calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    pub item: CallItem,
    /// The names of the callee in the calls.
    pub calls: Vec<Range<usize>>,
}

/// Why something cannot be renamed, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Refusal {
    /// The refusal for a place without a name to rename.
    pub(crate) fn no_name() -> Self {
        Self("only registers, labels and the names of an assembler's mappings can be renamed".to_owned())
    }

    /// The refusal for a place without an instruction to copy.
    pub(crate) fn no_instruction() -> Self {
        Self("there is no instruction to copy here".to_owned())
    }
}

/// Adds a range that holds the place and the ranges before, and is larger; any other is left out.
pub(crate) fn grow(ranges: &mut Vec<Range<usize>>, offset: usize, range: Range<usize>) {
    let inner = ranges.last().cloned().unwrap_or(offset..offset);
    let holds = range.start <= inner.start && inner.end <= range.end;
    if holds && (ranges.is_empty() || range != inner) {
        ranges.push(range);
    }
}
