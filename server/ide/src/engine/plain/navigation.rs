//! Navigation targets in the form that clients receive.

use std::ops::Range;

/// The location of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavigationTarget {
    /// Range of the whole instruction or line.
    pub range: Range<usize>,
    /// Range of the token with the name.
    pub selection: Range<usize>,
}

/// An occurrence of a value, label, function or scoreboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub range: Range<usize>,
    pub usage: Usage,
}

/// Use of a symbol by one occurrence of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Usage {
    /// Reads a register, or waits for a scoreboard.
    Read,
    /// Writes a register, sets a scoreboard, or defines a label.
    Write,
    /// Mentions the name, but neither reads nor writes it.
    Text,
}

/// A reference to a line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLink {
    /// Range from the file name to the line number.
    pub range: Range<usize>,
    /// Path that the compiler used. Absolute, or relative to the compiler's working folder.
    pub path: String,
    /// Line number, 1-based.
    pub line: u32,
}

/// A kernel, or a function within a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallItem {
    /// Name of the kernel or function, demangled if it was mangled.
    pub name: String,
    /// Name of the kernel that contains the function. `None` for a kernel.
    pub detail: Option<String>,
    pub is_kernel: bool,
    /// Range of the whole kernel or function.
    pub range: Range<usize>,
    /// Range of the name.
    pub selection: Range<usize>,
}

/// A caller or callee, with the ranges of the calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    pub item: CallItem,
    /// Ranges of the callee's name at the calls.
    pub calls: Vec<Range<usize>>,
}

/// One-line reason why a rename or a copy is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Refusal {
    /// Returns the refusal for a position without a renameable name.
    pub(crate) fn no_name() -> Self {
        Self("only registers, labels and the names of an assembler's mappings can be renamed".to_owned())
    }

    /// Returns the refusal for a range without an instruction.
    pub(crate) fn no_instruction() -> Self {
        Self("there is no instruction to copy here".to_owned())
    }
}

/// Appends `range` if it contains the last range in the list and is larger. If the list is empty, appends `range` if it
/// contains the offset.
pub(crate) fn grow(ranges: &mut Vec<Range<usize>>, offset: usize, range: Range<usize>) {
    let inner = ranges.last().cloned().unwrap_or(offset..offset);
    let holds = range.start <= inner.start && inner.end <= range.end;
    if holds && (ranges.is_empty() || range != inner) {
        ranges.push(range);
    }
}
