//! The code of two versions of a source: what changed, by kernel, by instruction and by line.

mod align;
mod figures;
mod kernels;
mod lines;
mod text;
mod words;

#[cfg(test)]
mod tests;

use super::view::CodeView;
use crate::engine::cancel::Answer;
use crate::engine::names;
use crate::sass::places::printed;
pub use figures::KernelFigures;
pub(super) use figures::figures_of;
use kernels::{KernelPair, Paired, Partner, pairs};
pub use lines::LineChange;
use lines::LinePairs;
use serde::Serialize;

/// Two versions of the code of a source.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The instructions of each version, one on a line, with the source line that each comes from. One that is the same in both
    /// reads the same in both: with the registers and the source line of now, and a note on registers that were others. For a
    /// differ.
    pub before: String,
    pub after: String,
    /// Kernels that either has, in the order of their names.
    pub kernels: Vec<KernelChange>,
    /// Instructions that are not the same in both, in the order of the code, those that went before those that stand there now.
    pub instructions: Vec<InstructionChange>,
    /// Lines that have code in either version, in the order of the text as it is.
    pub lines: Vec<LineChange>,
}

/// One kernel before and after; null where a version lacks it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelChange {
    pub name: String,
    pub before: Option<KernelFigures>,
    pub after: Option<KernelFigures>,
    pub changes: Changes,
}

/// Instructions of a kernel by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    pub same: usize,
    /// The same but for the numbers of registers.
    pub registers: usize,
    /// The same, before or behind others than it was.
    pub moved: usize,
    /// The same opcode in the same place and of the same line, with other operands.
    pub changed: usize,
    pub removed: usize,
    pub added: usize,
}

/// An instruction that is not the same in both versions; null where a version lacks it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstructionChange {
    pub kernel: String,
    pub change: Change,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Lines of the source, counted from 1; null for code of another file.
    pub line_before: Option<u32>,
    pub line_after: Option<u32>,
}

/// What became of an instruction, as [`Changes`] counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Registers,
    Moved,
    Changed,
    Removed,
    Added,
}

/// Compares the code of two versions of a source, each whose code is of its text.
pub(crate) fn compare(before: &CodeView<'_>, after: &CodeView<'_>) -> Answer<Comparison> {
    let lines = LinePairs::new(before.text(), after.text());
    let pairs = pairs(before, after, &lines)?;
    let mut kernels = Vec::new();
    let mut instructions = Vec::new();
    for pair in &pairs {
        let changes = instruction_changes(before, after, pair, &mut instructions);
        let figures = |view: &CodeView<'_>, chunk: Option<usize>| match chunk {
            Some(chunk) => figures_of(view, chunk),
            None => Ok(None),
        };
        let (old, new) = (figures(before, pair.before)?, figures(after, pair.after)?);
        if old.is_some() || new.is_some() {
            let name = pair.name(before, after).to_owned();
            kernels.push(KernelChange { name, before: old, after: new, changes });
        }
    }
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    let lines = lines.changes(before, after, &instructions);
    let (before, after) = text::texts(before, after, &pairs, &lines);
    Ok(Comparison { before, after, kernels, instructions, lines })
}

/// Counts the instructions of a kernel by what became of them, and lists those that are not the same.
fn instruction_changes(
    before: &CodeView<'_>,
    after: &CodeView<'_>,
    pair: &KernelPair,
    all: &mut Vec<InstructionChange>,
) -> Changes {
    let name = pair.name(before, after);
    let mut changes = Changes::default();
    let mut note = |change: Change, old: Option<usize>, new: Option<usize>| {
        let count = match change {
            Change::Registers => &mut changes.registers,
            Change::Moved => &mut changes.moved,
            Change::Changed => &mut changes.changed,
            Change::Removed => &mut changes.removed,
            Change::Added => &mut changes.added,
        };
        *count += 1;
        let text = |view: &CodeView<'_>, chunk: Option<usize>, inst: Option<usize>| {
            Some(printed(&view.sass.listing().chunks()[chunk?], inst?))
        };
        let line =
            |view: &CodeView<'_>, chunk: Option<usize>, inst: Option<usize>| view.line_of(chunk?, inst?);
        all.push(InstructionChange {
            kernel: name.to_owned(),
            change,
            before: text(before, pair.before, old),
            after: text(after, pair.after, new),
            line_before: line(before, pair.before, old),
            line_after: line(after, pair.after, new),
        });
    };
    let mut same = 0;
    let mut old_ones = pair.of_before.iter().peekable();
    for new in &pair.of_after {
        // What went stands before the first instruction that was behind it.
        let place = match new.partner {
            Partner::Same { inst, has_moved: false, .. } | Partner::Changed { inst } => Some(inst),
            Partner::None | Partner::Same { .. } => None,
        };
        let is_passed = |old: &&Paired| match old.partner {
            Partner::None | Partner::Same { has_moved: true, .. } => true,
            _ => place.is_some_and(|place| old.inst <= place),
        };
        while let Some(old) = old_ones.next_if(is_passed) {
            if matches!(old.partner, Partner::None) {
                note(Change::Removed, Some(old.inst), None);
            }
        }
        match &new.partner {
            Partner::None => note(Change::Added, None, Some(new.inst)),
            Partner::Changed { inst } => note(Change::Changed, Some(*inst), Some(new.inst)),
            Partner::Same { inst, has_moved: true, .. } => note(Change::Moved, Some(*inst), Some(new.inst)),
            Partner::Same { registers, .. } if registers.is_empty() => same += 1,
            Partner::Same { inst, .. } => note(Change::Registers, Some(*inst), Some(new.inst)),
        }
    }
    for old in old_ones.filter(|old| matches!(old.partner, Partner::None)) {
        note(Change::Removed, Some(old.inst), None);
    }
    Changes { same, ..changes }
}

/// The name of a kernel for people.
fn readable(name: &str) -> String {
    names::demangle(name).unwrap_or_else(|| name.to_owned())
}
