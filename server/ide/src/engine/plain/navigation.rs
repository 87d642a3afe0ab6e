//! Targets of navigation, as clients receive them.

use std::ops::Range;

/// The location of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavigationTarget {
    /// The whole range: the instruction, the line.
    pub range: Range<usize>,
    /// Range of the token that names it.
    pub selection: Range<usize>,
}

/// An occurrence of a value, label, function or scoreboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub range: Range<usize>,
    pub usage: Usage,
}

/// Use of a symbol by an occurrence of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Usage {
    /// Reads a register, waits for a scoreboard.
    Read,
    /// Writes a register, sets a scoreboard, defines a label.
    Write,
    /// Only mentions the name.
    Text,
}

/// A reference to a line of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLink {
    /// Range from the file's name to the line's number.
    pub range: Range<usize>,
    /// The path that the compiler used, absolute or relative to its working folder.
    pub path: String,
    /// The line, 1-based.
    pub line: u32,
}

/// A kernel, or a function within a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallItem {
    /// The name, demangled if it was mangled.
    pub name: String,
    /// The kernel that contains it; `None` for a kernel.
    pub detail: Option<String>,
    pub is_kernel: bool,
    /// The whole range.
    pub range: Range<usize>,
    /// The range of the name.
    pub selection: Range<usize>,
}

/// A caller or callee, with the locations of the calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    pub item: CallItem,
    /// Ranges of the callee's name in the calls.
    pub calls: Vec<Range<usize>>,
}

/// Why a rename or a copy is refused, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Refusal {
    /// The refusal if there is no name to rename.
    pub(crate) fn no_name() -> Self {
        Self("only registers, labels and the names of an assembler's mappings can be renamed".to_owned())
    }

    /// The refusal if there is no instruction to copy.
    pub(crate) fn no_instruction() -> Self {
        Self("there is no instruction to copy here".to_owned())
    }
}

/// Appends a range that contains the offset and the last range, and is larger; ignores any other.
pub(crate) fn grow(ranges: &mut Vec<Range<usize>>, offset: usize, range: Range<usize>) {
    let inner = ranges.last().cloned().unwrap_or(offset..offset);
    let holds = range.start <= inner.start && inner.end <= range.end;
    if holds && (ranges.is_empty() || range != inner) {
        ranges.push(range);
    }
}
